/** The canary and `npm run smoke` on the local stack, with its demo provider. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSmoke } from '#cli/smoke/program.ts';
import { type LocalGateway, startLocalGateway } from '#local/local-gateway.ts';
import { demoModel, demoProvider } from '#local/providers/demo-upstream.ts';
import { gatewayAssembly } from '#test/support/gateway-assembly.ts';
import { type LogLine, withoutCommonFields } from '#test/support/log-lines.ts';
import { runInTerminal } from '#test/support/run-in-terminal.ts';

const model = `${demoProvider}/${demoModel}`;

describe('Synthetic requests', () => {
  const output: string[] = [];
  let gateway: LocalGateway;
  beforeAll(async () => {
    gateway = await startLocalGateway({
      port: 0,
      ephemeral: true,
      assemblyDirectory: await gatewayAssembly({ monitoring: 'all', canary: { model } }),
      environment: { PATH: process.env.PATH },
      onLogLine: (line) => output.push(line),
    });
  });
  afterAll(() => gateway.stop());

  /** The fields of the lines that the canary has printed. */
  const canaryLines = (): LogLine[] =>
    output
      .filter((line) => line.startsWith('[CanaryFunction] ') && line.includes('"event":"canary_run"'))
      .map((line) => withoutCommonFields(JSON.parse(line.slice(line.indexOf('{')))));

  const passed = {
    level: 'INFO',
    event: 'canary_run',
    check: null,
    error: null,
    duration_ms: expect.any(Number),
  };

  it('of the canary pass on both endpoints, with exactly its permissions', async () => {
    await gateway.runSchedule('CanarySchedule', new Date());
    await gateway.runSchedule('CanarySchedule', new Date());

    const lines = [
      { ...passed, endpoint: 'rest_api' },
      { ...passed, endpoint: 'function_url', CanaryFailures: 0 },
    ];
    await expect.poll(canaryLines).toEqual([...lines, ...lines]);
    const unused = gateway
      .unusedGrants()
      .filter(({ functionName }) => functionName.includes('CanaryFunction'));
    expect(unused.map(({ action }) => action)).toEqual(['logs:CreateLogStream', 'logs:PutLogEvents']);
    expect(output.filter((line) => line.includes('is not authorized'))).toEqual([]);
  });

  it('of the smoke test pass on both endpoints', async () => {
    const urls = ['--url', gateway.baseUrl, '--chat-url', gateway.chatUrl];
    const { exitCode, stdout } = await runInTerminal(
      (terminal) => runSmoke([...urls, '--model', model, '--json'], terminal),
      { environment: { GATEWAY_API_KEY: gateway.apiKey } },
    );

    const { checks } = JSON.parse(stdout) as { checks: { check: string; error: string | null }[] };
    expect(checks.map(({ error }) => error)).toEqual(checks.map(() => null));
    expect(checks).toHaveLength(12);
    expect(exitCode).toBe(0);
  });
});
