/** The least that a gateway on `node:http` can do: every byte from one connection to the other. */
import { Agent, request as httpRequest } from 'node:http';
import { serve } from '../shared/bench-process.ts';

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
