// Runs in a DevTools window: what is selected there. Its modules are the bundled ones, at addresses of its own origin.
(async () => {
  const [UI, SDK] = await Promise.all([import('/bundled/ui/legacy/legacy.js'), import('/bundled/core/sdk/sdk.js')]);
  const flavor = type => UI.Context.Context.instance().flavor(type);
  return {
    request: flavor(SDK.NetworkRequest.NetworkRequest)?.requestId() ?? null,
    node: flavor(SDK.DOMModel.DOMNode)?.backendNodeId() ?? null,
  };
})()
