function a(){console.error("hijack")}
a();
//# sourceMappingURL=hijack.js.map
