function a(){console.error("guarded")}
a();
//# sourceMappingURL=secret/x.map
