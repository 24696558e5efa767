function a(){console.error("redirected")}
a();
//# sourceMappingURL=external.js.map?redirect=/maps/secret/x.map
