/**
 * Takes the place of `@smithy/node-http-handler` in the bundles. That package has HTTP/1 and HTTP/2 behind one index, so
 * with Bedrock's client, which alone names HTTP/2, every cold start would load `node:http2`: 5 ms. Nothing is sent
 * through it: see `lambdas/shared/providers/bedrock/bedrock-signer.ts`.
 */

export { streamCollector } from '@smithy/core/serde';
export {
  NodeHttpHandler,
  NodeHttpHandler as NodeHttp2Handler,
} from '../node_modules/@smithy/node-http-handler/dist-es/node-http-handler.js';
