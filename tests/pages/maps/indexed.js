function a(){console.error("indexed")}
function b(){a()}
function c(){b()}
c();                                    function d(){console.error("column")}d();
//# sourceMappingURL=indexed.js.map
