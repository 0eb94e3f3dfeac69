/** A user pool on loopback: its OpenID provider, and Cognito's API. */
import { createServer } from 'node:http';
import { listen } from '../http/listen.ts';
import { createFakeCognitoApi, type FakeCognitoApi } from './fake-cognito-api.ts';
import { createFakeOpenIdProvider, type FakeOpenIdProvider } from './fake-openid-provider.ts';
import { createFakePoolState, type FakePoolState } from './fake-pool-state.ts';

export interface FakeUserPool extends FakePoolState {
  origin: string;
  provider: FakeOpenIdProvider;
  api: FakeCognitoApi;
  stop(): Promise<void>;
}

export async function startFakeUserPool(now: () => Date): Promise<FakeUserPool> {
  const state = createFakePoolState(now);
  const provider = createFakeOpenIdProvider(state, () => origin);
  const api = createFakeCognitoApi(state, () => provider.behaviour.clientSecret);
  const server = createServer((request, response) => {
    const { handle } = request.headers['x-amz-target'] === undefined ? provider : api;
    void handle(request, response);
  });
  const { address, stop } = await listen(server);
  const origin = `http://${address}`;
  return { ...state, origin, provider, api, stop };
}
