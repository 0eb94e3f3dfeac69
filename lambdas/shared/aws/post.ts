/** One request to an AWS service over a connection that is kept. */
import http from 'node:http';
import https from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { ServiceError } from './service-error.ts';

export interface PostReply {
  status: number;
  body: string;
}

/** Rejects with a `ServiceError` when there is no answer, or not all of it, after so many milliseconds. */
export type Post = (headers: Record<string, string>, body: string, timeoutMs: number) => Promise<PostReply>;

export function createPost(endpoint: URL): Post {
  const { request, Agent } = endpoint.protocol === 'http:' ? http : https;
  const options = { ...urlToHttpOptions(endpoint), method: 'POST', agent: new Agent({ keepAlive: true }) };
  return (headers, body, timeoutMs) =>
    new Promise((resolve, reject) => {
      const outgoing = request({ ...options, headers });
      const timeout = setTimeout(() => {
        // Not as what it is destroyed with: one that is destroyed already would tell nobody.
        reject(new ServiceError('TimeoutError', { status: null }));
        outgoing.destroy();
      }, timeoutMs);
      const fail = ({ code = 'NoAnswer' }: NodeJS.ErrnoException) => {
        clearTimeout(timeout);
        reject(new ServiceError(code, { status: null, isStale: outgoing.reusedSocket }));
      };
      outgoing.on('error', fail);
      outgoing.once('response', (incoming) => {
        let answer = '';
        incoming.setEncoding('utf8');
        incoming.on('data', (piece: string) => {
          answer += piece;
        });
        incoming.once('error', fail);
        incoming.once('end', () => {
          clearTimeout(timeout);
          resolve({ status: incoming.statusCode ?? 0, body: answer });
        });
      });
      outgoing.end(body);
    });
}
