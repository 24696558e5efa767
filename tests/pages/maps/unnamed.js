function a(){console.error("unnamed")}
a();
//# sourceMappingURL=unnamed.js.map
