// What the front-end knows about requests.

import * as AiAssistance from 'frontend/front_end/models/ai_assistance/data_formatters/NetworkRequestFormatter.js';

type Header = {name: string, value: string};

export const network = {
  /** The headers that the front-end shows to a model, the values of the others replaced. */
  sanitizeHeaders: ({headers}: {headers: Header[]}): Header[] => AiAssistance.sanitizeHeaders(headers),
};
