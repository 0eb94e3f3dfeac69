/** AWS and a provider on loopback for the deployed chat function, with a journal of the order of events. */
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Writable } from 'node:stream';
import {
  isOrganizationRead,
  keyAccessResponse,
  organizationResponse,
  secretResponse,
} from '../aws/responses.ts';
import { type LoopbackService, startLoopbackService } from '../http/loopback-service.ts';
import { eventsWithUsage, exampleUsage } from '../providers/openai/events.ts';

export interface ChatServicesFixture {
  upstream: LoopbackService;
  aws: LoopbackService;
  /**
   * Names of AWS actions, `provider` for each request to it, and `responded` when a response to the client has ended.
   * `GetItem` is a read of the API key, `GetItem organization` of its organization, `GetItem prices` of custom prices.
   */
  journal: string[];
  createResponseStream(): Writable;
  stop(): Promise<void>;
}

/** The attributes of the organization and of the key. */
type HardBudgetField = 'budget' | 'key_budget';

export interface ChatServicesFixtureOptions {
  useTls?: boolean;
  headers?: OutgoingHttpHeaders;
  hasApiKey?: boolean;
  /** The hard budgets that apply to the API key. */
  hardBudgets?: readonly HardBudgetField[];
  hasCredential?: boolean;
  /** The response to the action, or of the provider, is sent when the promise resolves. */
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

export async function startChatServicesFixture(
  options: ChatServicesFixtureOptions = {},
): Promise<ChatServicesFixture> {
  const { useTls = false, headers = {}, delayResponse } = options;
  const actions = awsResponses(options);
  const journal: string[] = [];
  const nameRequest = (request: IncomingMessage) =>
    String(request.headers['x-amz-target'] ?? '.provider').replace(/^.*\./, '');
  const aws = await startLoopbackService({
    useTls,
    nameRequest,
    async respond({ name, body }, response) {
      const action = name === 'GetItem' ? nameRead(body) : name;
      journal.push(action);
      await delayResponse?.(action);
      response.writeHead(action in actions ? 200 : 400, headers).end(actions[action] ?? '{}');
    },
  });
  const upstream = await startLoopbackService({
    useTls,
    nameRequest,
    async respond({ name, body }, response) {
      journal.push(name);
      await delayResponse?.(name);
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
  hardBudgets = [],
  hasCredential = true,
}: ChatServicesFixtureOptions): Record<string, string> {
  const budgetIn = (field: HardBudgetField) => (hardBudgets.includes(field) ? { [field]: budget } : {});
  return {
    GetItem: hasApiKey ? keyAccessResponse(budgetIn('key_budget')) : '{}',
    'GetItem organization': organizationResponse(budgetIn('budget')),
    'GetItem prices': '{}',
    GetSecretValue: secretResponse(hasCredential ? { openai: { api_key: 'sk-upstream' } } : {}),
    PutItem: '{}',
    UpdateItem: '{}',
    SendMessage: '{}',
  };
}

const budget = { M: { id: { S: 'counter' }, shards: { N: '1' }, allows_unpriced: { BOOL: false } } };

function nameRead(body: string): string {
  if (JSON.parse(body).TableName === 'prices') return 'GetItem prices';
  return isOrganizationRead(body) ? 'GetItem organization' : 'GetItem';
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
