function a(){console.error("external")}
a();
//# sourceMappingURL=external.js.map
