import { describe, expect, it } from 'vitest';
import { type Gateway, synthesizeGateway } from '../synthesized-gateway.ts';

const gateway = synthesizeGateway({ monitoring: 'all', canary: {} });

interface QueryProperties {
  Name: string;
  QueryString: string;
  LogGroupNames: unknown[];
}

const queriesOf = (of: Gateway) =>
  of
    .ofType('AWS::Logs::QueryDefinition')
    .map(({ resource }) => resource.Properties as unknown as QueryProperties);
const queries = queriesOf(gateway);

const names = [
  'request-history',
  'errors-by-code',
  'slow-providers',
  'slow-requests',
  'top-spenders',
  'uncertain-costs',
  'rate-limits',
  'failed-attempts',
  'failing-routes',
  'rejected-keys',
  'internal-errors',
  'killed-requests',
  'unwritten-entries',
  'counting',
  'recovery',
];

describe('Saved queries', () => {
  it('are in the folder of the stack', () => {
    expect(queriesOf(synthesizeGateway({ stackName: 'Staging' })).map(({ Name }) => Name)).toEqual(
      names.map((name) => `Staging/${name}`),
    );
  });

  it('include one for the canary if it is deployed', () => {
    expect(queries.map(({ Name }) => Name)).toEqual([...names, 'canary'].map((name) => `AiGateway/${name}`));
  });

  const functionPaths = gateway
    .ofType('AWS::Lambda::Function')
    .map(({ path }) => path)
    .filter((path) => !path.startsWith('Custom::'));
  const everywhere = [...functionPaths, 'RestApi/Access'];
  const api = ['Chat/Function', 'Models', 'Reports/Logs', 'Reports/Log', 'Reports/Costs'];
  const chat = 'Chat/Function';
  const recovery = 'Maintenance/RecoverRequests';

  it.each([
    ['request-history', everywhere],
    ['errors-by-code', api],
    ['slow-providers', [chat]],
    ['slow-requests', [chat]],
    ['top-spenders', [chat]],
    ['uncertain-costs', [chat]],
    ['rate-limits', [chat]],
    ['failed-attempts', [chat]],
    ['failing-routes', [chat]],
    ['rejected-keys', api],
    ['internal-errors', everywhere],
    ['killed-requests', [chat, recovery]],
    ['unwritten-entries', [chat, 'LogRecovery/Function', recovery]],
    [
      'counting',
      [
        'CostRollup/Function',
        'LogRecovery/Function',
        'BudgetChanges/Function',
        'Dashboard/KeyRevocations/Function',
      ],
    ],
    ['recovery', [recovery, 'Maintenance/VerifyRollups']],
    ['canary', ['Canary/Function']],
  ])('%s reads the logs of the functions that print its lines', (name, paths) => {
    const query = queries.find(({ Name }) => Name === `AiGateway/${name}`);
    const groups = (query?.LogGroupNames ?? []).map(gateway.readable);

    expect(groups.map((group) => group.replace(/Log(Group|s)$/, '')).sort()).toEqual([...paths].sort());
  });

  it('explain themselves in their first line, and have one command a line', () => {
    for (const { QueryString } of queries) {
      const [comment, ...commands] = QueryString.split(/\n(?!#)/);

      expect(comment).toMatch(/^# [A-Z]/);
      expect(commands[0]).toMatch(/^(fields|filter) /);
      for (const command of commands.slice(1)) expect(command).toMatch(/^\| (filter|stats|sort|limit) /);
      expect(commands.at(-1)).toMatch(/^\| limit \d+$/);
    }
  });

  it('tell operations apart, whose errors, durations and costs differ', () => {
    const naming = queries.filter(({ QueryString }) => /\boperation\b/.test(QueryString));

    expect(naming.map(({ Name }) => Name)).toEqual(
      ['errors-by-code', 'slow-providers', 'slow-requests', 'top-spenders'].map(
        (name) => `AiGateway/${name}`,
      ),
    );
  });

  it('give the id of the invocation also if it printed no line', () => {
    const ids = new Map(
      queries.map(({ Name, QueryString }) => [
        Name,
        /coalesce\(([^()]*)\) as invocation_id/.exec(QueryString)?.[1],
      ]),
    );

    expect(ids.get('AiGateway/internal-errors')).toBe('request_id, record.requestId, integrationRequestId');
    expect(ids.get('AiGateway/counting')).toBe('request_id, record.requestId');
  });

  it('find everything about a request by one placeholder', () => {
    const [history] = queries;

    expect(history?.QueryString.match(/LOG_ID_OR_REQUEST_ID/g)).toHaveLength(2);
    expect(history?.QueryString).toContain('\n| filter @message like "LOG_ID_OR_REQUEST_ID"\n');
    expect(history?.QueryString).toContain('\n| sort @timestamp asc\n');
  });
});
