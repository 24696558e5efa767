function a(){console.error("rooted")}
a();
//# sourceMappingURL=rooted.js.map
