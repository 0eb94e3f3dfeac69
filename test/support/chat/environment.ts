/** AWS and a provider on loopback for the deployed chat function, with a journal of the order of events. */
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Writable } from 'node:stream';
import { apiKeyResponse, secretResponse } from '../aws/responses.ts';
import { type LoopbackService, startLoopbackService } from '../http/loopback-service.ts';
import { eventsWithUsage, exampleUsage } from '../providers/openai/events.ts';

export interface ChatEnvironment {
  upstream: LoopbackService;
  aws: LoopbackService;
  /** Names of AWS actions, `provider` for each request to it, and `responded` when a response to the client has ended. */
  journal: string[];
  createResponseStream(): Writable;
  stop(): Promise<void>;
}

export interface ChatEnvironmentOptions {
  useTls?: boolean;
  headers?: OutgoingHttpHeaders;
  hasApiKey?: boolean;
  hasCredential?: boolean;
  /** The response to the action is sent when the promise resolves. */
  delayResponse?(action: string): Promise<void> | undefined;
}

const completion = [
  'application/json',
  JSON.stringify({
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
    usage: exampleUsage,
  }),
] as const;
const streamedCompletion = ['text/event-stream', eventsWithUsage('own-chunk').join('')] as const;

export async function startChatEnvironment(options: ChatEnvironmentOptions = {}): Promise<ChatEnvironment> {
  const { useTls = false, headers = {}, delayResponse } = options;
  const actions = awsResponses(options);
  const journal: string[] = [];
  const nameRequest = (request: IncomingMessage) => {
    const name = String(request.headers['x-amz-target'] ?? '.provider').replace(/^.*\./, '');
    journal.push(name);
    return name;
  };
  const aws = await startLoopbackService({
    useTls,
    nameRequest,
    async respond({ name }, response) {
      await delayResponse?.(name);
      response.writeHead(name in actions ? 200 : 400, headers).end(actions[name] ?? '{}');
    },
  });
  const upstream = await startLoopbackService({
    useTls,
    nameRequest,
    respond({ body }, response) {
      const [type, responseBody] = JSON.parse(body).stream ? streamedCompletion : completion;
      response.writeHead(200, { ...headers, 'content-type': type }).end(responseBody);
    },
  });
  return {
    upstream,
    aws,
    journal,
    createResponseStream: () => responseStream(journal),
    stop: async () => void (await Promise.all([upstream.stop(), aws.stop()])),
  };
}

function awsResponses({
  hasApiKey = true,
  hasCredential = true,
}: ChatEnvironmentOptions): Record<string, string> {
  return {
    GetItem: hasApiKey ? apiKeyResponse : '{}',
    GetSecretValue: secretResponse(hasCredential ? { openai: { api_key: 'sk-upstream' } } : {}),
    PutItem: '{}',
    SendMessage: '{}',
  };
}

function responseStream(journal: string[]): Writable {
  return new Writable({
    write: (_, __, done) => done(),
    final(done) {
      journal.push('responded');
      done();
    },
  });
}
