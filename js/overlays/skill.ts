// The AI assistant's skills are generated files that the npm package lacks; no formatter uses them.
export const skill = {};
