/** AWS and a provider on loopback for the deployed chat function, with a journal of what happens in which order. */
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Writable } from 'node:stream';
import { apiKeyResponse, secretResponse } from './aws-responses.ts';
import { type LoopbackService, startLoopbackService } from './loopback-service.ts';
import { eventsWithUsage, exampleUsage } from './providers/openai/openai-events.ts';

export interface ChatEnvironment {
  upstream: LoopbackService;
  aws: LoopbackService;
  /** The names of AWS actions, `provider` for each request there, `answered` when an answer has gone to its caller. */
  journal: string[];
  caller(): Writable;
  stop(): Promise<void>;
}

export interface ChatEnvironmentOptions {
  isSecure?: boolean;
  /** Of the answers. */
  headers?: OutgoingHttpHeaders;
  hasApiKey?: boolean;
  hasCredential?: boolean;
  /** The action is answered when this resolves. */
  hold?(action: string): Promise<void> | undefined;
}

const whole = [
  'application/json',
  JSON.stringify({
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
    usage: exampleUsage,
  }),
] as const;
const streamed = ['text/event-stream', eventsWithUsage('own-chunk').join('')] as const;

export async function startChatEnvironment(options: ChatEnvironmentOptions = {}): Promise<ChatEnvironment> {
  const { isSecure = false, headers = {}, hold } = options;
  const actions = answersOfAws(options);
  const journal: string[] = [];
  const nameOf = (request: IncomingMessage) => {
    const name = String(request.headers['x-amz-target'] ?? '.provider').replace(/^.*\./, '');
    journal.push(name);
    return name;
  };
  const aws = await startLoopbackService({
    isSecure,
    nameOf,
    async answer({ name }, response) {
      await hold?.(name);
      response.writeHead(name in actions ? 200 : 400, headers).end(actions[name] ?? '{}');
    },
  });
  const upstream = await startLoopbackService({
    isSecure,
    nameOf,
    answer({ body }, response) {
      const [type, answer] = JSON.parse(body).stream ? streamed : whole;
      response.writeHead(200, { ...headers, 'content-type': type }).end(answer);
    },
  });
  return {
    upstream,
    aws,
    journal,
    caller: () => callerNotedIn(journal),
    stop: async () => void (await Promise.all([upstream.stop(), aws.stop()])),
  };
}

function answersOfAws({
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

function callerNotedIn(journal: string[]): Writable {
  return new Writable({
    write: (_, __, done) => done(),
    final(done) {
      journal.push('answered');
      done();
    },
  });
}
