function a(){console.error("header")}
a();
