/**
 * Replaces `node:http` in the bundles. Importing a built-in module reads all of its exports. In `node:http`, some of
 * them (`WebSocket`) are getters that load undici and its dependencies, which takes half of a cold start.
 * https://github.com/nodejs/node/issues/59686
 */

const http = process.getBuiltinModule('node:http');

export default http;
export const { Agent, request, STATUS_CODES } = http;
