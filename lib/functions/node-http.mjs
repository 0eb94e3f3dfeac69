/**
 * Replaces `node:http` in the bundles. An import of a Node module reads all of its exports, and some of this one
 * (`WebSocket`) are getters that load undici with its dependencies, which takes half of a cold start.
 * https://github.com/nodejs/node/issues/59686
 */

const http = process.getBuiltinModule('node:http');

export default http;
export const { Agent, request, STATUS_CODES } = http;
