/** The least that a gateway on `node:http` can do: pipe each request to the upstream, and the response back. */
import { Agent, request as httpRequest } from 'node:http';
import { serve } from '../harness/serve.ts';

const agent = new Agent({ keepAlive: true });
const upstream = process.env.UPSTREAM ?? '';

serve((request, response) => {
  const { method, headers, url } = request;
  const outgoing = httpRequest(`${upstream}${url}`, { method, headers, agent }, (reply) => {
    response.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(response);
  });
  outgoing.once('error', () => response.destroy());
  request.pipe(outgoing);
});
