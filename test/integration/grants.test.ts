/**
 * Every function does all of its work once, with the roles of the deployed template: a call without a permission is denied,
 * and the local run reports unused permissions.
 */
import { type AttributeValue, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  ApiKeyList,
  MemberRemovalList,
  NewApiKey,
  NewInvitation,
  OrganizationDetails,
} from '#lambdas/accounts/organizations/responses.ts';
import { listBudgets } from '#lambdas/limits/budgets/status.ts';
import { serializeLogEntry } from '#lambdas/request-log/entry-json.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { toItem } from '#lambdas/request-log/table/item.ts';
import { administratorAccessKeyId, localSecretAccessKey } from '#local/identities.ts';
import { type LocalGateway, startLocalGateway } from '#local/local-gateway.ts';
import { type LocalSession, signUpLocally } from '#test/support/accounts/local-sign-up.ts';
import { eventually } from '#test/support/eventually.ts';
import { functionProcessIds } from '#test/support/function-processes.ts';
import { gatewayAssembly, mailSettings } from '#test/support/gateway-assembly.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { sendLostEntryMessage } from '#test/support/signals/lost-entry-message.ts';
import { type FaultProxy, startFaultProxy } from '../faults/support/fault-proxy.ts';
import { type EmbeddedDynamoDB, startSeparateDynamoDB } from '../support/dynamodb/embedded.ts';
import { deltaChunk, doneEvent, event } from '../support/providers/openai/events.ts';
import { type OpenAIUpstream, startOpenAIUpstream } from '../support/providers/openai/upstream.ts';
import {
  controlledStream,
  hangBeforeHeaders,
  jsonResponse,
} from '../support/providers/upstream-responses.ts';
import { responseFields } from '../support/responses/gateway.ts';

const chatRequest = {
  model: 'openai/gpt-4o-mini',
  messages: [{ role: 'user', content: 'Say hello' }],
} satisfies OpenAI.ChatCompletionCreateParams;

/** A budget takes effect after 20 s only, and the local gateway needs the processor meanwhile. */
const polling = { intervalMs: 500 };

const listStreams =
  'Lambda requires it to create the mapping, and it allows no narrower resource. The local run does not call it.';

/** Permissions that this test does not use, with the reason for granting them. */
const exemptions = {
  // https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-eventsourcemapping.html
  'CostRollupFunction: dynamodb:ListStreams on *': listStreams,
  'BudgetChangesFunction: dynamodb:ListStreams on *': listStreams,
  'DashboardKeyRevocationsFunction: dynamodb:ListStreams on *': listStreams,
  'DashboardAnalytics: dynamodb:BatchGetItem on dynamodb table/Prices':
    'For more than 1 MB of custom prices, which one scan does not read.',
  'ChatFunction: dynamodb:GetItem on dynamodb table/BudgetCounters':
    'For a reservation from several items of a counter: `budgets.test.ts` makes one.',
};

const queueing = 'ChatFunction: sqs:SendMessage on sqs LogRecoveryLostEntries';

/** Lambda writes the logs with the functions' roles. */
const logPermissions = (functionName: string) =>
  ['CreateLogStream', 'PutLogEvents'].map(
    (action) => `${functionName}: logs:${action} on logs log-group:${functionName}LogGroup:*`,
  );

describe("The functions' IAM permissions", () => {
  const logLines: string[] = [];
  let upstream: OpenAIUpstream;
  let engine: EmbeddedDynamoDB;
  let proxy: FaultProxy;
  let gateway: LocalGateway;
  let database: DynamoDBClient;
  let organizationId: string;
  let apiKey: string;
  beforeAll(async () => {
    upstream = await startOpenAIUpstream({ expectedApiKey: 'sk-upstream', unknownModels: [] });
    engine = await startSeparateDynamoDB();
    proxy = await startFaultProxy(() => engine.endpoint, Math.random);
    gateway = await startLocalGateway({
      port: 0,
      ephemeral: true,
      assemblyDirectory: await gatewayAssembly(mailSettings),
      // Other people need an invitation.
      signUpAsConfigured: true,
      environment: {
        ...process.env,
        OPENAI_API_KEY: 'sk-upstream',
        OPENAI_BASE_URL: upstream.baseUrl,
        AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint,
      },
      onLogLine: (line) => logLines.push(line),
    });
    database = new DynamoDBClient({
      endpoint: gateway.connection.dynamodb_endpoint,
      region: gateway.connection.region,
      credentials: { accessKeyId: administratorAccessKeyId, secretAccessKey: localSecretAccessKey },
    });
  });
  afterAll(async () => {
    database.destroy();
    await gateway.stop();
    await proxy.stop();
    await engine.stop();
    await upstream.stop();
  });

  /** Returns the id of the log entry. */
  const complete = async (origin: string) => {
    const client = new OpenAI({ baseURL: `${origin}/ai`, apiKey, maxRetries: 0 });
    const { response } = await client.chat.completions.create(chatRequest).withResponse();
    return response.headers.get('x-gateway-request-id');
  };

  /** A stored response, which is then continued, in a conversation. */
  const continueResponse = async () => {
    const client = new OpenAI({ baseURL: `${gateway.chatUrl}/ai`, apiKey, maxRetries: 0 });
    upstream.script(jsonResponse(responseFields), jsonResponse(responseFields));
    const request = { model: chatRequest.model, input: 'Say hello' };
    const { id } = await client.responses.create({ ...request, conversation: 'conv_1' });
    const continued = await client.responses.create({ ...request, previous_response_id: id });
    return continued.output_text;
  };

  /** The function behind the queue then finds the price. */
  const queueUnpricedEntry = () => {
    const entry = logEntry({
      organization_id: organizationId,
      id: createLogId(Date.now()),
      pricing: 'unknown',
      cost_usd: '0',
    });
    return sendLostEntryMessage(gateway, JSON.stringify({ entry: serializeLogEntry(entry) }));
  };

  /** A filter by outcome reads the rollups of hours before the last ones only if there are older entries. */
  const writeOldEntry = async () => {
    const oldMs = Date.now() - 86_400_000;
    const entry = logEntry({ id: createLogId(oldMs), organization_id: organizationId });
    const times = { writtenAtMs: oldMs, expiresAtSeconds: 2 ** 32 };
    await DynamoDBDocumentClient.from(database).send(
      new PutCommand({
        TableName: gateway.connection.outputs.LogEntriesTableName,
        Item: toItem(entry, times),
      }),
    );
  };

  /** A change that always fails, which Lambda reports in the queue in the end. */
  const changeUnreadableBudget = async () => {
    const TableName = gateway.connection.outputs.DirectoryTableName;
    const sk = { S: 'organization' };
    const items: Record<string, AttributeValue>[] = [
      { pk: { S: 'budgets#org_unreadable' }, sk, day: { NULL: true } },
      { pk: { S: 'budget-changes' }, sk: { S: 'org_unreadable/organization' }, changes: { N: '1' } },
    ];
    for (const Item of items) await database.send(new PutItemCommand({ TableName, Item }));
  };

  const budgetTables = () => {
    const client = DynamoDBDocumentClient.from(database);
    const { outputs } = gateway.connection;
    return {
      directoryTable: { client, tableName: outputs.DirectoryTableName ?? '', now: () => new Date() },
      budgetCounters: { client, tableName: outputs.BudgetCountersTableName ?? '' },
    };
  };

  const readBudgets = () => listBudgets(budgetTables(), organizationId, new Date());

  const fetchStatus = async (path: string) => {
    const headers = { authorization: `Bearer ${apiKey}` };
    return (await fetch(`${gateway.baseUrl}${path}`, { headers })).status;
  };

  /** Rejects unless the call succeeds. */
  const call = async (session: LocalSession, method: string, path: string, body?: object) => {
    const response = await session.call(method, path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text;
  };

  /** An organization with a key, a hard budget of the key, and one of the organization that the first request exceeds. */
  const createOrganization = async (owner: LocalSession) => {
    const created = await call(owner, 'POST', '/organizations', { name: 'Acme' });
    ({ id: organizationId } = JSON.parse(created) as OrganizationDetails);
    const path = `/organizations/${organizationId}`;
    const budget = { amount_usd: '1000', period: 'day', hard: true };
    const key = await call(owner, 'POST', `${path}/keys`, { name: 'First', expires_at: null, budget });
    ({ key: apiKey } = JSON.parse(key) as NewApiKey);
    const small = { amount_usd: '0.000001', period: 'month', hard: false };
    await call(owner, 'POST', `${path}/budgets`, { ...small, api_key_id: null, allow_unpriced: false });
    return path;
  };

  /** Reads each chunk of the response before the provider sends the next. */
  const sendTestRequest = async (session: LocalSession) => {
    const stream = controlledStream();
    upstream.script(stream.respond);
    const request = { organization_id: organizationId, api_key: apiKey, model: chatRequest.model };
    const responding = session.call('POST', '/test-requests', request);
    await stream.write(event(deltaChunk({ content: 'Hello' })));
    const { status, body } = await responding;
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    const first = await reader?.read();
    await stream.write(event(deltaChunk({}, 'stop')) + doneEvent);
    await stream.end();
    const rest = await reader?.read();
    return { status, chunks: [first?.value, rest?.value].map((text) => text?.match(/Hello|DONE/g)) };
  };

  /** Somebody who signs up with an invitation, sends a test request, and deletes the account again. */
  const inviteMember = async (owner: LocalSession, path: string) => {
    const email = 'bob@example.com';
    const invitation = await call(owner, 'POST', `${path}/invitations`, { email, role: 'member' });
    const { url, mailed } = JSON.parse(invitation) as NewInvitation;
    const member = await signUpLocally(gateway, email);
    await call(member, 'POST', '/invitations/acceptance', { token: url.split('/').at(-1) });
    const testResponse = await sendTestRequest(member);
    for (const list of ['members', 'keys', 'budgets', 'audit-records'])
      await call(owner, 'GET', `${path}/${list}`);
    await call(member, 'DELETE', '/account', { email });
    return { mailed, testResponse };
  };

  /** Somebody who creates a key, and is removed together with it. Resolves to what has become of the key. */
  const removeMember = async (owner: LocalSession, path: string) => {
    const email = 'carol@example.com';
    const { url } = JSON.parse(
      await call(owner, 'POST', `${path}/invitations`, { email, role: 'member' }),
    ) as NewInvitation;
    const member = await signUpLocally(gateway, email);
    await call(member, 'POST', '/invitations/acceptance', { token: url.split('/').at(-1) });
    const created = await call(member, 'POST', `${path}/keys`, { name: 'x', expires_at: null, budget: null });
    const { key, api_key } = JSON.parse(created) as NewApiKey;
    const revoked = await call(owner, 'POST', `${path}/keys`, { name: 'y', expires_at: null, budget: null });
    const { api_key: other } = JSON.parse(revoked) as NewApiKey;
    await call(owner, 'POST', `${path}/keys/${other.id}/revocation`);
    const { id: memberId = '' } = api_key.created_by as { id: string };
    await call(owner, 'DELETE', `${path}/members/${memberId}`, { keys: 'revoke' });
    const ended = async () => JSON.parse(await call(owner, 'GET', `${path}/keys?state=ended`)) as ApiKeyList;
    await eventually(
      async () => expect((await ended()).data.map(({ id }) => id)).toEqual([other.id, api_key.id]),
      polling,
    );
    // The removal ends after its last key.
    const listRemovals = async () =>
      (JSON.parse(await call(owner, 'GET', `${path}/removals`)) as MemberRemovalList).data;
    await eventually(async () => expect(await listRemovals()).toEqual([]), polling);
    const headers = { authorization: `Bearer ${key}` };
    const { status } = await fetch(`${gateway.baseUrl}/ai/models`, { headers });
    return status;
  };

  const viewAnalytics = async (session: LocalSession, entryId: string) => {
    const resources = [
      // The window starts within a minute, so that entries are read too.
      'costs?start=2026-01-01T00:00:30Z',
      'logs',
      ...['model=openai/gpt-4o-mini', 'provider=openai', 'status=502', 'prompt_id=x', 'user_id=x'].map(
        (filter) => `logs?${filter}`,
      ),
      `logs/${entryId}`,
      'session?session_id=x',
      'providers',
      'models',
      'projection',
      `statements/${new Date().toISOString().slice(0, 7)}`,
    ];
    for (const resource of resources) await call(session, 'GET', `/analytics/${organizationId}/${resource}`);
  };

  /** A request without an entry, whose function is killed, and then the scheduled functions. */
  const maintain = async () => {
    upstream.script(hangBeforeHeaders);
    const forwardedLines = () =>
      logLines.filter((line) => line.includes('"event":"request_forwarded"')).length;
    const before = forwardedLines();
    const killed = complete(gateway.chatUrl).catch(() => {});
    await eventually(() => expect(forwardedLines()).toBe(before + 1), polling);
    for (const id of functionProcessIds(gateway, 'ChatFunction')) process.kill(id, 'SIGKILL');
    await killed;
    // Not awaited: what is just being counted looks like a difference, and is checked again after five minutes.
    void gateway.runSchedule('MaintenanceVerifyRollupsSchedule', new Date());
    // By then, the request can no longer be running.
    await gateway.runSchedule('MaintenanceRecoverRequestsSchedule', new Date(Date.now() + 17 * 60_000));
  };

  const useSession = async (session: LocalSession) => {
    await call(session, 'GET', '/sessions');
    await call(session, 'POST', '/account/email', { email: 'ada@example.org' });
    await call(session, 'DELETE', '/session');
  };

  /** Shortens a permission to, for example, `ChatFunction: dynamodb:PutItem on dynamodb table/LogEntries`. */
  const unused = () =>
    gateway
      .unusedGrants()
      .map(({ functionName, action, resource }) =>
        `${functionName}: ${action} on ${resource}`
          .replaceAll(/AiGateway-(\w+?)[0-9A-F]{8}\b/g, '$1')
          .replace(/arn:aws:(\w+):[\w-]+:000000000000:/, '$1 '),
      );

  const denied = () => logLines.filter((line) => line.includes('is not authorized'));

  /** Names of the functions that have been started, which `npm start` itself does not do. */
  const invoked = () =>
    [...new Set(logLines.flatMap((line) => /^\[(\w+)\] .*"platform\.start"/.exec(line)?.[1] ?? []))].sort();

  it('starts each function, and grants every permission that the functions use and no other', async () => {
    const functions = [...new Set(unused().map((line) => line.split(':')[0] ?? ''))];
    const owner = await signUpLocally(gateway, 'ada@example.com');
    const organizationPath = await createOrganization(owner);
    await changeUnreadableBudget();
    const member = await inviteMember(owner, organizationPath);
    const removed = await removeMember(owner, organizationPath);
    await complete(gateway.baseUrl);
    const id = await complete(gateway.chatUrl);
    const continued = await continueResponse();
    await writeOldEntry();
    // Explaining the cost reads the custom prices.
    await expect.poll(() => fetchStatus(`/api/logs/${id}`)).toBe(200);
    const paths = [
      '/ai/models',
      '/ai/models/openai/gpt-4o-mini',
      '/api/logs',
      ...['model=openai/gpt-4o-mini', 'provider=openai', 'status=200', 'status=502'].map(
        (filter) => `/api/logs?${filter}`,
      ),
      ...['prompt_id', 'session_id', 'user_id'].map((name) => `/api/logs?${name}=x`),
      '/api/logs/01990000-0000-7000-8000-000000000000',
      // The window starts within a minute, so that entries are read too.
      '/api/costs?start=2026-01-01T00:00:30Z',
    ];
    const statuses = await Promise.all(paths.map(fetchStatus));
    await database.send(
      new PutItemCommand({
        TableName: gateway.connection.outputs.LogEntriesTableName,
        Item: { organization_shard: { S: 'no organization' }, id: { S: 'no entry' } },
      }),
    );
    // Fails all attempts of the chat function, so that the entry is queued and written by the recovery function.
    await proxy.setFault({ kind: 'throttled', operations: ['PutItem'] });
    await complete(gateway.baseUrl);
    await eventually(async () => expect(unused()).not.toContain(queueing), polling);
    await proxy.setFault(null);
    await eventually(
      async () => expect((await readBudgets()).map(({ state }) => state)).toEqual(['active', 'active']),
      polling,
    );
    // Its cost passes all thresholds, unless that of the queued entry has: it may be counted only now.
    await complete(gateway.baseUrl);
    await eventually(
      async () => expect((await readBudgets()).map(({ events }) => events.length)).toEqual([3, 0]),
      polling,
    );
    const budgetMails = () =>
      gateway.mailbox?.messages().filter(({ to, code }) => to === 'ada@example.com' && code === undefined);
    await eventually(async () => expect(budgetMails()).toHaveLength(3), polling);
    await viewAnalytics(owner, id ?? '');
    await call(owner, 'DELETE', `${organizationPath}/budgets`, { api_key_id: null, period: 'month' });
    await useSession(owner);
    await queueUnpricedEntry();
    await maintain();

    expect(functions).toHaveLength(17);
    expect(removed).toBe(401);
    expect(continued).toBe('Hi');
    expect(invoked()).toEqual(functions.toSorted());
    expect(member).toEqual({ mailed: true, testResponse: { status: 200, chunks: [['Hello'], ['DONE']] } });
    expect(statuses).toEqual(paths.map((path) => (path.includes('01990000') ? 404 : 200)));
    await expect
      .poll(async () => {
        // Reads rollups once the newest entry has been counted.
        await fetchStatus('/api/logs?outcome=timeout');
        return { unused: unused().sort(), denied: denied() };
      })
      .toEqual({
        unused: [...Object.keys(exemptions), ...functions.flatMap(logPermissions)].sort(),
        denied: [],
      });
  });
});
