/** A running user pool, a dashboard as its relying party, and an AWS client. */

import {
  CognitoIdentityProviderClient,
  DescribeUserPoolClientCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import * as openid from 'openid-client';
import { onTestFinished } from 'vitest';
import { sendAwsError } from '#local/aws/call.ts';
import { type LocalUserPool, startUserPool } from '#local/cognito/start.ts';
import { administratorAccessKeyId, readAccessKeyId } from '#local/identities.ts';
import { openHttpListener, openLocalhostListener, readRequestBody } from '#local/listeners/http-listener.ts';
import type { Grant } from '#local/permissions/policies.ts';
import { resolveIntrinsics } from '#local/template/intrinsics.ts';
import { createReferences } from '#local/template/references.ts';
import { parseTemplate } from '#local/template/template.ts';
import { asObject } from '#local/untyped-json.ts';
import { clientId, createUserPoolTemplate, dashboard, type TemplateOptions } from './user-pool-template.ts';
import { createVisitor, type Visitor } from './visitor.ts';

export interface PoolFixture {
  pool: LocalUserPool;
  origin: string;
  log: string[];
  events: TriggerEvent[];
  /** Users whose sign-up was announced. */
  signUps: object[];
  clock: { now: number };
  client: CognitoIdentityProviderClient;
  /** Grants that calls needed. */
  grants: Grant[];
  clientSecret: string;
  relyingParty: openid.Configuration;
}

export interface TriggerEvent {
  functionArn: string;
  triggerSource: string;
  userName: string;
  request: { userAttributes: Record<string, string> };
}

interface PoolOptions extends TemplateOptions {
  storeDirectory?: string;
  /** Port of an earlier pool, so that the origin stays the same. */
  port?: number;
  /** Throws to refuse. */
  trigger?: (event: TriggerEvent) => void;
}

export async function startPoolFixture(
  options: PoolOptions = {},
): Promise<PoolFixture & { port: number; stop(): Promise<void> }> {
  const listener = await openLocalhostListener(options.port ?? 0);
  const clock = { now: Date.now() };
  const log: string[] = [];
  const events: TriggerEvent[] = [];
  const signUps: object[] = [];
  const pool = await startUserPool({
    stack: createStack(options, listener.origin),
    signInOrigin: listener.origin,
    storeDirectory: options.storeDirectory,
    identityProviderSecret: 'company-secret',
    invokeTrigger: async (functionArn, event) => {
      const triggerEvent = { functionArn, ...(event as Omit<TriggerEvent, 'functionArn'>) };
      events.push(triggerEvent);
      options.trigger?.(triggerEvent);
      return event;
    },
    onSignUp: async (user) => {
      signUps.push(user);
    },
    log: (line) => log.push(line),
    now: () => clock.now,
  });
  if (pool === null) throw new Error('The template has a user pool');
  listener.serve(pool.listener);
  const grants: Grant[] = [];
  const api = await serveApi(pool, grants);
  const client = new CognitoIdentityProviderClient({
    endpoint: api.origin,
    region: 'us-east-1',
    credentials: { accessKeyId: administratorAccessKeyId, secretAccessKey: 'local' },
    maxAttempts: 1,
  });
  const stop = async () => {
    client.destroy();
    await pool.stop();
    await Promise.all([listener.close(), api.close()]);
  };
  onTestFinished(stop);
  const clientSecret = await readClientSecret(client);
  const relyingParty = await openid.discovery(
    new URL(listener.origin),
    clientId,
    {},
    openid.ClientSecretPost(clientSecret),
    { execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks] },
  );
  const { origin, port } = listener;
  return {
    pool,
    origin,
    port,
    log,
    events,
    signUps,
    clock,
    client,
    grants,
    clientSecret,
    relyingParty,
    stop,
  };
}

function createStack(options: TemplateOptions, signInOrigin: string) {
  const template = parseTemplate({ stackName: 'gateway', template: createUserPoolTemplate(options) });
  const references = createReferences({
    template,
    region: 'us-east-1',
    tables: new Map(),
    awsOrigin: '',
    restApiOrigin: '',
    functionUrlOrigin: '',
    dashboardOrigin: dashboard.home,
    signInOrigin,
  });
  return { template, resolve: (value: unknown) => resolveIntrinsics(value, references) };
}

async function serveApi(pool: LocalUserPool, grants: Grant[]) {
  const listener = await openHttpListener(0);
  listener.serve(async (request, response) => {
    const rawBody = (await readRequestBody(request, 100_000)) ?? Buffer.from('');
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    const authorize = (needed: readonly Grant[]) => {
      grants.push(...needed);
      const allowed = readAccessKeyId(request.headers.authorization) === administratorAccessKeyId;
      if (!allowed) sendAwsError(response, { status: 400, type: 'AccessDeniedException', message: '' });
      return allowed;
    };
    const body = asObject(JSON.parse(String(rawBody)), 'body');
    await pool.handle({ operation, body, rawBody, request, response, authorize });
  });
  return listener;
}

async function readClientSecret(client: CognitoIdentityProviderClient): Promise<string> {
  const command = new DescribeUserPoolClientCommand({ UserPoolId: userPoolId, ClientId: clientId });
  return (await client.send(command)).UserPoolClient?.ClientSecret ?? '';
}

export const userPoolId = 'us-east-1_local';
export const password = 'correct-Horse-7';

export interface AuthorizationRequest {
  url: URL;
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** Begins a sign-in, as the dashboard does. */
export async function createAuthorizationRequest(
  { relyingParty }: PoolFixture,
  parameters: Record<string, string> = {},
): Promise<AuthorizationRequest> {
  const [state, nonce] = [openid.randomState(), openid.randomNonce()];
  const codeVerifier = openid.randomPKCECodeVerifier();
  const url = openid.buildAuthorizationUrl(relyingParty, {
    redirect_uri: dashboard.callback,
    scope: 'openid email profile aws.cognito.signin.user.admin',
    state,
    nonce,
    code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    ...parameters,
  });
  return { url, state, nonce, codeVerifier };
}

/** Exchanges the code that a sign-in ended with. Checks state, nonce and the signature of the ID token. */
export function exchangeCode(
  { relyingParty }: PoolFixture,
  callback: URL,
  { state, nonce, codeVerifier }: AuthorizationRequest,
) {
  return openid.authorizationCodeGrant(relyingParty, callback, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: codeVerifier,
    idTokenExpected: true,
  });
}

export function latestCode({ pool }: PoolFixture): string {
  return pool.mailbox.messages()[0]?.code ?? '';
}

export interface SignedInVisitor {
  visitor: Visitor;
  tokens: Awaited<ReturnType<typeof exchangeCode>>;
}

export async function signUp(fixture: PoolFixture, email = 'ada@example.com'): Promise<SignedInVisitor> {
  const visitor = createVisitor();
  const request = await createAuthorizationRequest(fixture);
  await visitor.open(request.url);
  await visitor.submit('/signup', { email, name: 'Ada', password });
  const { url } = await visitor.submit('/confirm', { code: latestCode(fixture) });
  return { visitor, tokens: await exchangeCode(fixture, url, request) };
}

export async function signIn(fixture: PoolFixture, email = 'ada@example.com'): Promise<SignedInVisitor> {
  const visitor = createVisitor();
  const request = await createAuthorizationRequest(fixture);
  await visitor.open(request.url);
  const { url } = await visitor.submit('/login', { email, password });
  return { visitor, tokens: await exchangeCode(fixture, url, request) };
}
