/** The requests that the page may send to the gateway with an API key. */
import * as z from 'zod/mini';
import { isWellFormedApiKey } from '#lambdas/access/api-key.ts';
import { isUuid } from '#lambdas/platform/uuid.ts';
import { type DashboardRequest, readBody } from '../http/request.ts';
import { apiPath, type RoutePath } from '../http/router.ts';

export interface GatewayRequest {
  method: 'GET' | 'POST';
  /** Below the gateway's URL. */
  path: string;
  apiKey: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
}

interface TestRoute extends RoutePath {
  /** Throws a `GatewayError` that names the invalid field. */
  read(request: DashboardRequest): Promise<GatewayRequest>;
}

const credentials = {
  organization_id: z.string(),
  api_key: z
    .string({ error: 'api_key must be text' })
    .check(z.refine(isWellFormedApiKey, { error: 'api_key must be a complete API key, such as pt_live_…' })),
};

const maxModelLength = 256;
const modelError = `model must be the id of a model, with at most ${maxModelLength} characters`;
const chat = z.strictObject({
  ...credentials,
  model: z
    .string({ error: modelError })
    .check(z.minLength(1, { error: modelError }), z.maxLength(maxModelLength, { error: modelError })),
});
const models = z.strictObject(credentials);
const entry = z.strictObject({
  ...credentials,
  id: z.string({ error: 'id must be text' }).check(z.refine(isUuid, { error: 'id must be a UUID' })),
});

const path = `${apiPath}/test-requests`;

export const testRoutes: readonly TestRoute[] = [
  {
    method: 'POST',
    path,
    async read(request) {
      const { api_key: apiKey, model } = await readBody(request, chat);
      return {
        method: 'POST',
        path: '/ai/chat/completions',
        apiKey,
        headers: { 'content-type': 'application/json', 'gateway-prompt-id': 'dashboard-test' },
        body: JSON.stringify(chatRequest(model)),
      };
    },
  },
  {
    method: 'POST',
    path: `${path}/models`,
    async read(request) {
      const { api_key: apiKey } = await readBody(request, models);
      return { method: 'GET', path: '/ai/models', apiKey };
    },
  },
  {
    method: 'POST',
    path: `${path}/entry`,
    async read(request) {
      const { api_key: apiKey, id } = await readBody(request, entry);
      return { method: 'GET', path: `/api/logs/${id}`, apiKey };
    },
  },
];

/**
 * Enough for the reasoning before a short response, and little enough for a small hard budget, which must have room for all
 * of it.
 */
const maxOutputTokens = 1024;

/** OpenAI's reasoning models refuse `max_tokens`. The gateway renames the newer name for providers that only know the old one. */
function chatRequest(model: string) {
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    max_completion_tokens: maxOutputTokens,
    messages: [
      {
        role: 'user',
        content: 'Greet me in one short, friendly sentence, and wish me fun with the first API key.',
      },
    ],
  };
}
