/** The local gateway with all fake providers and fault injection, and access to everything that it writes. */
import { DynamoDBClient, ListTablesCommand, PutItemCommand, paginateScan } from '@aws-sdk/client-dynamodb';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ListQueuesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { startQueueEngine } from '#local/aws/sqs/engine.ts';
import { administratorAccessKeyId, localSecretAccessKey } from '#local/identities.ts';
import { type LocalGateway, startLocalGateway } from '#local/local-gateway.ts';
import { faultSettings } from '#test/faults/support/fault-fixture.ts';
import { type FaultProxy, startFaultProxy } from '#test/faults/support/fault-proxy.ts';
import { startSeparateDynamoDB } from '../dynamodb/embedded.ts';
import { gatewayAssembly } from '../gateway-assembly.ts';
import { isThrottled, retryWhileThrottled } from '../http/throttling.ts';
import { type FakeProvider, fakeProviders } from '../providers/fake-providers.ts';
import type { WrittenText } from './find-leaks.ts';
import { extraHeaders, type RequestWithSecrets } from './requests.ts';
import { createPlantedSecrets, type PlantedSecrets } from './secrets.ts';

export interface ReceivedResponse {
  name: string;
  status: number;
  /** Includes the status line and the headers. */
  text: string;
}

export interface PlantedSecretsFixture extends AsyncDisposable {
  secrets: PlantedSecrets;
  gateway: LocalGateway;
  /** Keys are the gateway's provider names. */
  upstreams: ReadonlyMap<string, FakeProvider>;
  dynamoDb: FaultProxy;
  sqs: FaultProxy;
  logLines: string[];
  /** Uses the function URL by default, and always the REST API for `/api` paths. */
  send(request: RequestWithSecrets, endpoint?: 'rest' | 'url'): Promise<ReceivedResponse>;
  /** Disconnects after the first chunk of the response. */
  sendAndDisconnect(request: RequestWithSecrets): Promise<void>;
  /** Writes an item and a message that the gateway cannot read to the log entries table and the lost-entries queue. */
  writeUnreadableRecords(text: string): Promise<void>;
  writeSecret(text: string): Promise<void>;
  stored(): Promise<WrittenText[]>;
  queued(): Promise<WrittenText[]>;
}

const region = 'us-east-1';

export async function startPlantedSecretsFixture(): Promise<PlantedSecretsFixture> {
  const resources = new AsyncDisposableStack();
  try {
    return await start(resources);
  } catch (error) {
    await resources.disposeAsync();
    throw error;
  }
}

async function start(resources: AsyncDisposableStack): Promise<PlantedSecretsFixture> {
  const owned = <Part extends { stop(): Promise<void> }>(part: Part): Part => {
    resources.defer(() => part.stop());
    return part;
  };
  const secrets = createPlantedSecrets(Object.keys(fakeProviders).map(providerName));
  const { upstreams, environment } = await startUpstreams(secrets, owned);
  // With their short limits, a hanging provider times out within seconds.
  const assemblyDirectory = await gatewayAssembly(faultSettings);
  const engine = owned(await startSeparateDynamoDB());
  const queues = owned(await startQueueEngine({ dataDirectory: undefined, environment: {}, region }));
  const always = () => 0;
  const proxy = async ({ endpoint }: { endpoint: string }) =>
    owned(await startFaultProxy(() => endpoint, always));
  const dynamoDb = await proxy(engine);
  const sqs = await proxy(queues);
  const logLines: string[] = [];
  const gateway = owned(
    await startLocalGateway({
      port: 0,
      ephemeral: true,
      assemblyDirectory,
      environment: {
        ...environment,
        PATH: process.env.PATH,
        AWS_ENDPOINT_URL_DYNAMODB: dynamoDb.endpoint,
        AWS_ENDPOINT_URL_SQS: sqs.endpoint,
      },
      onLogLine: (line) => logLines.push(line),
    }),
  );
  const operator = createOperator(gateway, queues.endpoint);
  resources.defer(operator.stop);
  return {
    secrets,
    gateway,
    upstreams,
    dynamoDb,
    sqs,
    logLines,
    ...operator,
    ...createCaller(gateway, secrets),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Maps the fake `bare`, a self-hosted server, to its provider name. */
export function providerName(fake: string): string {
  return fake === 'bare' ? 'vllm' : fake;
}

async function startUpstreams(
  secrets: PlantedSecrets,
  owned: <Part extends FakeProvider>(part: Part) => Part,
) {
  const upstreams = new Map<string, FakeProvider>();
  const environment: Record<string, string> = {};
  for (const [fake, startFake] of Object.entries(fakeProviders)) {
    const name = providerName(fake);
    const upstream = owned(await startFake({ expectedApiKey: secrets.credential(name), echo: true }));
    upstreams.set(name, upstream);
    environment[`${name.toUpperCase()}_BASE_URL`] = upstream.baseUrl;
    environment[`${name.toUpperCase()}_API_KEY`] = secrets.credential(name);
  }
  return { upstreams, environment };
}

function createCaller(
  { apiKey, baseUrl, chatUrl }: LocalGateway,
  secrets: PlantedSecrets,
): Pick<PlantedSecretsFixture, 'send' | 'sendAndDisconnect'> {
  // Without the retry, a fake provider would send the scripted response of a throttled request to the next one.
  const call = (request: RequestWithSecrets, endpoint: 'rest' | 'url') =>
    retryWhileThrottled(() => callOnce(request, endpoint), wasThrottled);
  const callOnce = (
    { path = '/ai/chat/completions', query, ...request }: RequestWithSecrets,
    endpoint: 'rest' | 'url',
  ) => {
    const { method = 'POST', body, headers, keyHeader } = request;
    const origin = endpoint === 'rest' || path.startsWith('/api') ? baseUrl : chatUrl;
    return fetch(`${origin}${path}${query === undefined ? '' : `?${query}`}`, {
      method,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${apiKey}`,
        ...extraHeaders(secrets),
        ...(keyHeader !== undefined && { authorization: '', [keyHeader]: apiKey }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  };
  return {
    async send(request, endpoint = 'url') {
      const response = await call(request, endpoint);
      // Reading a truncated stream fails.
      const text = await response.text().catch((error: Error) => `(${error.name})`);
      const { status, headers } = response;
      return { name: request.name, status, text: `${JSON.stringify([...headers])}\n${text}` };
    },
    async sendAndDisconnect(request) {
      const { body } = await call(request, 'url');
      const reader = body?.getReader();
      await reader?.read();
      await reader?.cancel();
    },
  };
}

async function wasThrottled(response: Response): Promise<boolean> {
  const { status, headers } = response;
  if (status !== 429 && status !== 503) return false;
  const body = await response.clone().text();
  return isThrottled({ status, requestId: headers.get('x-gateway-request-id'), body });
}

type Operator = Pick<
  PlantedSecretsFixture,
  'writeUnreadableRecords' | 'writeSecret' | 'stored' | 'queued'
> & {
  stop(): void;
};

function createOperator({ connection }: LocalGateway, queueEndpoint: string): Operator {
  const account = {
    region,
    endpoint: connection.dynamodb_endpoint,
    credentials: { accessKeyId: administratorAccessKeyId, secretAccessKey: localSecretAccessKey },
  };
  const dynamoDb = new DynamoDBClient(account);
  const sqs = new SQSClient({ ...account, endpoint: queueEndpoint });
  const secretsManager = new SecretsManagerClient(account);
  const { LogEntriesTableName, LostEntriesQueueUrl = '', ProviderSecretArn } = connection.outputs;
  const queueUrls = async () => (await sqs.send(new ListQueuesCommand())).QueueUrls ?? [];
  return {
    async writeUnreadableRecords(text) {
      const Item = { organization_shard: { S: 'no organization' }, id: { S: 'no entry' }, note: { S: text } };
      await dynamoDb.send(new PutItemCommand({ TableName: LogEntriesTableName, Item }));
      const name = LostEntriesQueueUrl.split('/').at(-1) ?? '';
      const QueueUrl = (await queueUrls()).find((url) => url.endsWith(`/${name}`));
      const MessageBody = JSON.stringify({ entry: { id: text, note: text } });
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
    },
    async writeSecret(SecretString) {
      await secretsManager.send(new PutSecretValueCommand({ SecretId: ProviderSecretArn, SecretString }));
    },
    async stored() {
      const { TableNames = [] } = await dynamoDb.send(new ListTablesCommand());
      const tables = TableNames.map(async (TableName) => {
        const pages = await Array.fromAsync(paginateScan({ client: dynamoDb }, { TableName }));
        const items = pages.flatMap(({ Items = [] }) => Items);
        return items.map((item) => ({ place: TableName, text: JSON.stringify(unmarshall(item)) }));
      });
      return (await Promise.all(tables)).flat();
    },
    async queued() {
      const names = (await queueUrls()).map((url) => url.split('/').at(-1) ?? '');
      const messages = names.map(async (place) => {
        const response = await fetch(`${queueEndpoint}/_fauxqs/queues/${place}`);
        const { messages } = (await response.json()) as QueueView;
        const bodies = [
          ...messages.ready.map(({ body }) => body),
          ...messages.inflight.map(({ message }) => message.body),
        ];
        return bodies.map((text) => ({ place, text }));
      });
      return (await Promise.all(messages)).flat();
    },
    stop() {
      for (const client of [dynamoDb, sqs, secretsManager]) client.destroy();
    },
  };
}

/** The queue inspection response of fauxqs. */
interface QueueView {
  messages: { ready: { body: string }[]; inflight: { message: { body: string } }[] };
}
