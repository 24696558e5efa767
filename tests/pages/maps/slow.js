function a(){console.error("slow")}
a();
//# sourceMappingURL=external.js.map?delay=10000
