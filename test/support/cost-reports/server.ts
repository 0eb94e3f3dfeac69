/** Local servers of providers' cost reports, which reject what the real ones reject. */
import http, { type IncomingHttpHeaders } from 'node:http';
import { listen } from '../http/listen.ts';

interface ReportRules {
  path: string;
  /** Returns the reason if the headers contain no valid admin key. */
  refuse(headers: IncomingHttpHeaders, key: string): string | null;
  /** The allowed values of each parameter. */
  parameters: Record<string, RegExp>;
  required: readonly string[];
  maxLimit: number;
  period(query: URLSearchParams): { startMs: number; endMs: number };
  bucket(period: { startMs: number; endMs: number }, query: URLSearchParams): unknown;
  error(message: string): unknown;
}

interface ScriptedResponse {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

export interface CostReportServer {
  baseUrl: string;
  key: string;
  /** Queries in the order of arrival. */
  requests: URLSearchParams[];
  /** Sent instead of the next responses, to requests with a valid key. */
  script: ScriptedResponse[];
  stop(): Promise<void>;
}

const dayMs = 86_400_000;
const defaultLimit = 7;

export async function startCostReportServer(rules: ReportRules, key: string): Promise<CostReportServer> {
  const requests: URLSearchParams[] = [];
  const script: ScriptedResponse[] = [];
  const respond = (url: URL, headers: IncomingHttpHeaders): ScriptedResponse => {
    const failure = (status: number, message: string) => ({ status, body: rules.error(message) });
    if (url.pathname !== rules.path) return failure(404, 'not found');
    const refusal = rules.refuse(headers, key);
    if (refusal !== null) return failure(401, refusal);
    requests.push(url.searchParams);
    const problem = findProblem(rules, url.searchParams);
    return (
      script.shift() ??
      (problem === null ? { status: 200, body: page(rules, url.searchParams) } : failure(400, problem))
    );
  };
  const server = http.createServer(({ url = '', headers }, response) => {
    const { status, headers: extra = {}, body = {} } = respond(new URL(url, 'http://localhost'), headers);
    response.writeHead(status, { 'content-type': 'application/json', ...extra });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  const { address, stop } = await listen(server);
  return { baseUrl: `http://${address}/v1`, key, requests, script, stop };
}

function findProblem({ parameters, required, maxLimit }: ReportRules, query: URLSearchParams): string | null {
  for (const [name, value] of query) {
    if (!parameters[name]?.test(value)) return `${name}: Invalid ${name}: "${value}"`;
  }
  const missing = required.find((name) => !query.has(name));
  if (missing !== undefined) return `Missing required parameter: '${missing}'.`;
  return Number(query.get('limit') ?? 1) > maxLimit ? 'limit is too large' : null;
}

/** Only whole days have a bucket. */
function page(rules: ReportRules, query: URLSearchParams) {
  const { startMs, endMs } = rules.period(query);
  const limit = Number(query.get('limit') ?? defaultLimit);
  const days = Array.from(
    { length: Math.floor((endMs - startMs) / dayMs) },
    (_, day) => startMs + day * dayMs,
  );
  const first = Number(query.get('page')?.replace('page_', '') ?? 0);
  const hasMore = first + limit < days.length;
  return {
    object: 'page',
    data: days
      .slice(first, first + limit)
      .map((dayStartMs) => rules.bucket({ startMs: dayStartMs, endMs: dayStartMs + dayMs }, query)),
    has_more: hasMore,
    next_page: hasMore ? `page_${first + limit}` : null,
  };
}
