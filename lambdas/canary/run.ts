/** A run of the canary: checks both endpoints with a key of its own, and logs the result for each. */
import { keyRevocationDelayMs } from '#lambdas/access/key-lookup.ts';
import { errorFields, type Log } from '#lambdas/platform/telemetry/log.ts';
import type { Clock, Endpoint } from './checks/client.ts';
import { type CheckResult, defaultMaxDurationMs, runChecks } from './checks/run-checks.ts';
import type { CanaryKey } from './key.ts';

interface CanaryOptions {
  /** Without a trailing slash, like `functionUrl`. */
  apiBaseUrl: string;
  functionUrl: string;
  /** With `null`, no model is called. */
  model: string | null;
  log: Log;
  /** Logs an error of the canary's own calls to AWS. */
  logUnexpected(error: unknown): void;
  clock: Clock;
}

/** Never rejects. */
type Canary = (createKey: () => Promise<CanaryKey>) => Promise<void>;

interface Failure {
  check: CheckResult['check'] | 'key_created' | 'key_deleted';
  error: string;
}

interface EndpointResult {
  endpoint: Endpoint['name'];
  /** `null` if all checks have passed. */
  failure: Failure | null;
  durationMs: number;
}

/** By how much the clocks of functions can differ. */
const clockToleranceMs = 5000;

export function createCanary({
  apiBaseUrl,
  functionUrl,
  model,
  log,
  logUnexpected,
  clock,
}: CanaryOptions): Canary {
  const endpoints: Endpoint[] = [
    { name: 'rest_api', baseUrl: apiBaseUrl },
    { name: 'function_url', baseUrl: functionUrl },
  ];
  /** Only in memory, so the next run checks it if it has the same execution environment. */
  let deleted: { key: string; atMs: number } | null = null;

  const checkEndpoint = async (endpoint: Endpoint, apiKey: string): Promise<EndpointResult> => {
    const isUncached =
      deleted !== null && clock.now() > deleted.atMs + keyRevocationDelayMs + clockToleranceMs;
    const results = await runChecks({
      endpoint,
      reportsUrl: apiBaseUrl,
      apiKey,
      deletedApiKey: isUncached ? (deleted?.key ?? null) : null,
      model,
      embeddingModel: null,
      maxDurationMs: defaultMaxDurationMs,
      clock,
    });
    const durationMs = results.reduce((sum, result) => sum + result.durationMs, 0);
    return { endpoint: endpoint.name, failure: firstFailure(results), durationMs };
  };

  const logError = (error: unknown): string => {
    logUnexpected(error);
    return errorFields(error).error;
  };

  const failAll = (results: readonly EndpointResult[], failure: Failure): EndpointResult[] =>
    results.map((result) => ({ ...result, failure: result.failure ?? failure }));

  const run = async (createKey: () => Promise<CanaryKey>): Promise<EndpointResult[]> => {
    const startMs = clock.now();
    const started = await createKey().catch(logError);
    if (typeof started === 'string') {
      const durationMs = clock.now() - startMs;
      const unchecked = endpoints.map(({ name }) => ({ endpoint: name, failure: null, durationMs }));
      return failAll(unchecked, { check: 'key_created', error: `The key was not created: ${started}` });
    }
    const results = await Promise.all(endpoints.map((endpoint) => checkEndpoint(endpoint, started.key)));
    const deletionError = await started.delete().then(() => null, logError);
    deleted = deletionError === null ? { key: started.key, atMs: clock.now() } : null;
    if (deletionError === null) return results;
    return failAll(results, { check: 'key_deleted', error: `The key was not deleted: ${deletionError}` });
  };

  return async (createKey) => {
    const results = await run(createKey);
    // One value for each run, so on one line only.
    const CanaryFailures = results.some(({ failure }) => failure !== null) ? 1 : 0;
    for (const [index, { endpoint, failure, durationMs }] of results.entries()) {
      const print = failure === null ? log.info : log.error;
      const { check = null, error = null } = failure ?? {};
      const fields = { endpoint, check, error, duration_ms: Math.round(durationMs) };
      print('canary_run', fields, index === results.length - 1 ? { CanaryFailures } : {});
    }
  };
}

function firstFailure(results: readonly CheckResult[]): Failure | null {
  const failed = results.find(({ error }) => error !== null);
  return failed === undefined ? null : { check: failed.check, error: failed.error ?? '' };
}
