function a(){console.error("html")}
a();
//# sourceMappingURL=html.js.map
