// Runs in a DevTools window: what is selected there. Its modules are the bundled ones, at addresses of its own origin.
(async () => {
  const [UI, SDK] = await Promise.all([import('/bundled/ui/legacy/legacy.js'), import('/bundled/core/sdk/sdk.js')]);
  const flavor = type => UI.Context.Context.instance().flavor(type);
  const node = flavor(SDK.DOMModel.DOMNode);
  const target = node?.domModel().target();
  return {
    request: flavor(SDK.NetworkRequest.NetworkRequest)?.requestId() ?? null,
    node: node?.backendNodeId() ?? null,
    // The page's own process goes without saying.
    frame: target && target.outermostTarget() !== target ? target.id() : null,
  };
})()
