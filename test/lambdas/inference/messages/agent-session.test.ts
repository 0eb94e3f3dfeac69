import { afterAll, beforeAll, expect, it } from 'vitest';
import { agentSessionHeaders } from '#lambdas/request-log/metadata.ts';
import {
  exampleRequest,
  type NativeGateways,
  startNativeGateways,
} from '#test/support/messages/native-gateway.ts';
import { jsonResponse } from '#test/support/providers/upstream-responses.ts';

const message = jsonResponse({
  type: 'message',
  content: [],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
});

let gateways: NativeGateways;
beforeAll(async () => {
  gateways = await startNativeGateways();
});
afterAll(() => gateways.stop());

it('logs the session of an agent, and sends it to no provider', async () => {
  const gateway = await gateways.start();
  for (const name of agentSessionHeaders) {
    const { entry, request, status } = await gateway.exchange(message, exampleRequest, {
      [name]: `id of ${name}`,
    });
    expect([status, entry.session_id]).toEqual([200, `id of ${name}`]);
    expect(JSON.stringify(request.rawHeaders)).not.toMatch(/session/i);
  }
});

it('logs the session that the caller names before that of an agent', async () => {
  const gateway = await gateways.start();
  const headers = { 'x-claude-code-session-id': 'agent', 'gateway-session-id': 'mine' };
  expect((await gateway.exchange(message, exampleRequest, headers)).entry.session_id).toBe('mine');
});

it('logs a request whose session is not acceptable without it', async () => {
  const gateway = await gateways.start();
  const headers = { 'x-claude-code-session-id': 'a'.repeat(257) };
  const { status, entry } = await gateway.exchange(message, exampleRequest, headers);
  expect([status, entry.session_id]).toEqual([200, null]);
});

it('logs no session of an agent if the setting agentSessions is false', async () => {
  const { exchange } = await gateways.start({ dependencies: { agentSessions: false } });
  const headers = { 'x-claude-code-session-id': 'agent' };
  expect((await exchange(message, exampleRequest, headers)).entry.session_id).toBe(null);
});
