function a(){console.error("gr\u00f6\u00dfe")}
a();
//# sourceMappingURL=gr%C3%B6%C3%9Fe.js.map
