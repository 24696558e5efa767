function a(){console.error("missing")}
a();
//# sourceMappingURL=missing.js.map
