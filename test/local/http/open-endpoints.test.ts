import { expect, it } from 'vitest';
import { openEndpoints } from '#local/listeners/endpoints.ts';

it('frees the ports of the dashboard when the template has none', async () => {
  await using resources = new AsyncDisposableStack();
  const endpoints = await openEndpoints({ port: 0, resources });
  const { restApi, functionUrl, dashboard, signIn } = endpoints;
  const statusOf = async (origin: string) => (await fetch(origin)).status;

  expect(
    await Promise.all([restApi, functionUrl, dashboard, signIn].map(({ origin }) => statusOf(origin))),
  ).toEqual([503, 503, 503, 503]);
  await endpoints.closeDashboard();
  expect(await Promise.all([restApi, functionUrl].map(({ origin }) => statusOf(origin)))).toEqual([503, 503]);
  for (const { origin } of [dashboard, signIn]) await expect(fetch(origin)).rejects.toThrow('fetch failed');
});
