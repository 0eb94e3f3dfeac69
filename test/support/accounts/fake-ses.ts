/** The operation `SendEmail` of SES's REST API on loopback: https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html */
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import type { SESv2ClientConfig } from '@aws-sdk/client-sesv2';
import { listen } from '../http/listen.ts';

export interface FakeSes {
  endpoint: string;
  /** For the SDK's client. */
  clientConfig: SESv2ClientConfig;
  /** The bodies of the requests. */
  requests: unknown[];
  /** An error instead of the next responses, such as `MessageRejected`. */
  failure: { status: number; name: string } | null;
  stop(): Promise<void>;
}

export async function startFakeSes(): Promise<FakeSes> {
  const requests: unknown[] = [];
  const server = createServer(async (request, response) => {
    const send = (status: number, body: object, headers = {}) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(body));
    if (request.method !== 'POST' || request.url !== '/v2/email/outbound-emails') return send(404, {});
    const body = (await json(request)) as { Destination: { ToAddresses: string[] } };
    requests.push(body);
    if (fake.failure === null) return send(200, { MessageId: `message-${requests.length}` });
    const { status, name } = fake.failure;
    const message = `Email address is not verified: ${body.Destination.ToAddresses.join()}`;
    return send(status, { message }, { 'x-amzn-errortype': name });
  });
  const { address, stop } = await listen(server);
  const endpoint = `http://${address}`;
  const fake: FakeSes = {
    endpoint,
    clientConfig: {
      endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    },
    requests,
    failure: null,
    stop,
  };
  return fake;
}
