/**
 * Takes the place of `node:http` in the bundles. To import one of Node's modules reads each of its exports, and some of
 * this one (`WebSocket`) are getters that load undici with all that it needs: half of a cold start.
 * https://github.com/nodejs/node/issues/59686
 */

const http = process.getBuiltinModule('node:http');

export default http;
export const { Agent, request, STATUS_CODES } = http;
