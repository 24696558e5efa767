function a(){console.error("inline")}
a();
//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjogMywgInNvdXJjZXMiOiBbInRzL2lubGluZS50cyJdLCAibmFtZXMiOiBbXSwgIm1hcHBpbmdzIjogIkFBU0EsYUFDSTtBQVVGIn0=
