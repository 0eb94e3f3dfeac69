/** What one organization can see of another one: nothing, whatever it asks or makes up. */
import { createHash, createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashApiKey } from '#lambdas/access/api-key.ts';
import { writeCursor } from '#lambdas/request-log/report/cursor.ts';
import type { MeteredRead } from '../support/read-meter.ts';
import type { Caller } from '../support/report-harness.ts';
import { type IsolationEnvironment, startIsolationEnvironment } from './isolation/isolation-environment.ts';
import { markOf, onlyId, sharedValues } from './isolation/isolation-questions.ts';

// Hundreds of questions each, one after the other.
let world: IsolationEnvironment;
let callers: IsolationEnvironment['callers'];
beforeAll(async () => {
  world = await startIsolationEnvironment();
  ({ callers } = world);
});
afterAll(() => world.reports.stop());

describe('an organization', () => {
  it('is answered the same, byte for byte, whether another one has the same ids and values or not', async () => {
    const answers = await world.askAll(callers[0]);
    expect(answers).toEqual(world.aloneAnswers);
    // The questions are good ones: most have an answer, and every entry is in some.
    expect(answers.filter((answer) => answer.includes(markOf(0))).length).toBeGreaterThan(110);
    expect(answers.filter((answer) => answer.includes(markOf(1)))).toEqual([]);
  });

  it('is answered from its own entries alone, which are as many as the other one has', async () => {
    const answers = await world.askAll(callers[1]);
    expect(answers.filter((answer) => answer.includes(markOf(1))).length).toBeGreaterThan(110);
    expect(answers.filter((answer) => answer.includes(markOf(0)))).toEqual([]);
    const sums = JSON.parse((await world.ask({ endpoint: 'costs' }, callers[1])).slice(4));
    const entries = sharedValues(callers).length;
    expect(sums).toMatchObject({
      total_requests: entries + 1,
      total_input_tokens: 7_000_000 * entries + 1200,
    });
  });

  it.each([0, 1] as const)('reads what begins with its own id, and its own key (%i)', async (which) => {
    const { organizationId, apiKey } = callers[which];
    const keys: unknown[] = [];
    await world.askAll(callers[which], (reads) => keys.push(...reads.map(partitionOf)));
    const own = new RegExp(`^(${organizationId}(#.*)?|key#${hashApiKey(apiKey)})$`);
    expect(keys.length).toBeGreaterThan(500);
    expect(keys.filter((key) => !own.test(String(key)))).toEqual([]);
  });

  it.each(['organization_id', 'organization', 'org', 'api_key_id', 'api_key', 'key'])(
    'cannot name another one in the parameter %s',
    async (name) => {
      for (const endpoint of ['logs', 'costs', 'log'] as const) {
        const query = `${name}=${callers[1].organizationId}`;
        const { status, body } = await world.reports.get(endpoint, { caller: callers[0], query, id: onlyId });
        expect([status, body]).toEqual([400, { error: expect.objectContaining({ param: name }) }]);
      }
    },
  );

  it('cannot name another one in a header', async () => {
    const { organizationId, apiKey } = callers[1];
    const headers = {
      'openai-organization': organizationId,
      'x-organization-id': organizationId,
      'gateway-organization-id': organizationId,
      'x-amz-security-token': apiKey,
      'x-api-key': apiKey,
      cookie: `organization_id=${organizationId}; authorization=Bearer ${apiKey}`,
    };
    for (const [index, question] of world.questions.entries()) {
      if (index % 10 > 0) continue;
      expect(await world.ask({ ...question, headers }, callers[0])).toBe(world.aloneAnswers[index]);
    }
  });
});

/** Of the directory, the organization's id: all are in one partition there. */
function partitionOf({ input }: MeteredRead): unknown {
  const { Key = {}, ExpressionAttributeValues: values = {} } = input as Record<
    string,
    Record<string, unknown>
  >;
  if (Key.pk === 'organizations') return Key.sk;
  return Key.organization_shard ?? Key.pk ?? values[':key'] ?? values[':pk'] ?? values[':partition'];
}

describe('a cursor', () => {
  const refusal = expect.objectContaining({ code: 'invalid_request_error', param: 'cursor' });
  const read = (caller: Caller, query: string) => world.reports.get('logs', { caller, query });
  const cursorOf = async (caller: Caller, query: string) =>
    ((await read(caller, query)).body as { next_cursor: string }).next_cursor;

  it('of another organization is refused, in every query of which it could be', async () => {
    for (const query of [
      '',
      'user_id=ada&',
      'model=gpt-4o&',
      'provider=openai&',
      'status=429&',
      'session_id=%230&',
    ]) {
      const caller = callers[1];
      const offset = query === 'user_id=ada&' || query === 'session_id=%230&' ? '' : '&offset=1';
      const cursor = await cursorOf(caller, `${query}limit=1${offset}`);
      if (cursor === null) continue;
      expect((await read(caller, `${query}cursor=${cursor}`)).status).toBe(200);
      const { status, body } = await read(callers[0], `${query}cursor=${cursor}`);
      expect([query, status, body]).toEqual([query, 400, { error: refusal }]);
    }
  });

  it('cannot be made up by who knows how one is made and lacks the key alone', async () => {
    const { organizationId } = callers[0];
    const cursor = await cursorOf(callers[0], 'limit=1');
    const position = Buffer.from(cursor, 'base64url').subarray(0, 18);
    const scope = JSON.stringify([organizationId, { startMs: 0, endMs: Date.UTC(9999, 11) }, {}]);
    const forge = (signature: Buffer) =>
      Buffer.concat([position, signature.subarray(0, 16)]).toString('base64url');
    const { cursorKey } = await world.directory.logAccessOf(organizationId);
    const { cursorKey: foreignKey } = await world.directory.logAccessOf(callers[1].organizationId);
    const signedWith = (key: string) =>
      forge(createHmac('sha256', Buffer.from(key, 'base64url')).update(position).update(scope).digest());
    // The right key makes the very cursor: the others fail for nothing but their key.
    expect(signedWith(cursorKey)).toBe(cursor);
    for (const forged of [
      signedWith(foreignKey),
      signedWith(''),
      forge(createHash('sha256').update(position).update(scope).digest()),
    ]) {
      const { status, body } = await read(callers[0], `cursor=${forged}`);
      expect([status, body]).toEqual([400, { error: refusal }]);
    }
  });

  it('that was signed goes on in its own organization, wherever it points', async () => {
    const { organizationId } = callers[0];
    const { cursorKey: key } = await world.directory.logAccessOf(organizationId);
    const scope = JSON.stringify([organizationId, { startMs: 0, endMs: Date.UTC(9999, 11) }, {}]);
    const cursor = writeCursor({ before: 'ffffffff-ffff-ffff-ffff-ffffffffffff', toSkip: 0 }, { scope, key });
    const { text } = await read(callers[0], `cursor=${cursor}&limit=1000`);
    expect(text.split(markOf(0)).length - 1).toBe(3 * sharedValues(callers).length);
    expect(text).not.toContain(markOf(1));
  });
});
