/** Baseline: a minimal proxy on `node:http` that pipes each request to the upstream, and the response back. */
import { Agent, request as httpRequest } from 'node:http';
import { serve } from '../harness/serve.ts';

const agent = new Agent({ keepAlive: true });
const upstream = process.env.UPSTREAM ?? '';

serve((request, response) => {
  const { method, headers, url } = request;
  const outgoing = httpRequest(`${upstream}${url}`, { method, headers, agent }, (incoming) => {
    response.writeHead(incoming.statusCode ?? 502, incoming.headers);
    incoming.pipe(response);
  });
  outgoing.once('error', () => response.destroy());
  request.pipe(outgoing);
});
