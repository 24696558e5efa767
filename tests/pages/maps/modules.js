(() => {
const modules = {
  "./src/basket.ts": () => { eval("function a(){console.error(\"module basket\")}\na();\n//# sourceMappingURL=data:application/json;charset=utf-8;base64,eyJ2ZXJzaW9uIjogMywgInNvdXJjZXMiOiBbIndlYnBhY2s6Ly9zaG9wLy4vc3JjL2Jhc2tldC50cz9jMGRlIl0sICJuYW1lcyI6IFtdLCAibWFwcGluZ3MiOiAiQUFTQSxhQUNJO0FBVUYifQ==\n//# sourceURL=webpack-internal:///./src/basket.ts\n"); },
  "./src/main.ts": () => { eval("function a(){console.error(\"module main\")}\na();\n//# sourceMappingURL=data:application/json;charset=utf-8;base64,eyJ2ZXJzaW9uIjogMywgInNvdXJjZXMiOiBbIndlYnBhY2s6Ly9zaG9wLy4vc3JjL21haW4udHM/YzBkZSJdLCAibmFtZXMiOiBbXSwgIm1hcHBpbmdzIjogIkFBU0EsYUFDSTtBQVVGIn0=\n//# sourceURL=webpack-internal:///./src/main.ts\n"); },
};
for (const run of Object.values(modules)) run();
})();
