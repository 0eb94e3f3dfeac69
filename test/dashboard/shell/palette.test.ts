import { describe, expect, it } from 'vitest';
import {
  callerDestination,
  callerGroups,
  keyDestination,
  modelDestination,
  requestDestinations,
  viewDestinations,
} from '#dashboard/shell/palette/destinations.ts';
import { errorDestinations } from '#dashboard/shell/palette/error-destinations.ts';
import { Keys } from '#dashboard/shell/palette/keys.tsx';
import { matching } from '#dashboard/shell/palette/matching.ts';
import { commandOf } from '#dashboard/shell/palette/shortcuts.ts';
import { all, renderComponent, texts } from '../rendering/markup.ts';

const organization = { id: 'org_1', name: 'Acme', role: 'owner' } as const;
const uuid = '019a8f0c-6f0e-7c1b-8d2a-0123456789ab';

const now = new Date('2026-11-30T12:00:00Z');

const found = (text: string) => matching(viewDestinations(organization, now), text);

describe('The search of the page', () => {
  it.each([
    ['', 33],
    ['logs', 4],
    ['AUDIT trail', 1],
    ['shortcuts', 1],
    ['nothing', 0],
  ])('finds views and actions by "%s": %i', (text, count) => {
    expect(found(text)).toHaveLength(count);
  });

  it.each([
    ['log', 'Logs'],
    ['key', 'API keys'],
    ['invite', 'Invite a member'],
    ['invite somebody', 'Invite a member'],
    ['add a user', 'Invite a member'],
    ['create key', 'Create, rotate or revoke an API key'],
    ['rotate', 'Create, rotate or revoke an API key'],
    ['revoke a leaked key', 'Create, rotate or revoke an API key'],
    ['budget', 'Budgets and limits'],
    ['set limit', 'Set a rate limit'],
    ['set a budget', 'Set a budget'],
    ['tokens per minute', 'Set a rate limit'],
    ['throttling', 'Budgets and limits'],
    ['refused', 'Budgets and limits'],
    ['too little left', 'Budgets and limits'],
    ['quota', 'Budgets and limits'],
    ['limit reached', 'Budgets and limits'],
    ['route', 'Routes'],
    ['fallback', 'Routes'],
    ['set a route', 'Set a route'],
    ['create an alias', 'Set a route'],
    ['statement', 'Statement of last month'],
    ['invoice', 'Billing'],
    ['csv of last month', 'Statement of last month'],
    ['export csv', 'Export requests as CSV'],
    ['price of a model', 'Models'],
    ['cost of model', 'Models'],
    ['compare', 'Compare with the time before'],
    ['last month', 'Statement of last month'],
    ['slow', 'Slowest requests'],
    ['time zone', 'Change the time zone'],
    ['theme', 'Light theme'],
    ['dark', 'Dark theme'],
    ['sign out', 'Sign out'],
    ['password', 'Security'],
  ])('finds what people call "%s" first as %s', (text, title) => {
    expect(found(text)[0]?.title).toBe(title);
  });

  it('leads from an action to where it is done', () => {
    const [invite] = found('invite');
    expect(invite?.link).toMatchObject({
      to: '/organizations/$organizationId/members',
      search: { invite: '1' },
    });
    expect(found('set a rate limit')[0]?.link).toMatchObject({
      to: '/organizations/$organizationId/budgets',
      search: { set: 'rate-limits' },
    });
    expect(found('statement').map(({ detail }) => detail)).toEqual([
      'October 2026',
      'November 2026',
      undefined,
    ]);
    expect(found('theme').map(({ command }) => command)).toEqual(['light', 'dark', 'system']);
    expect(found('sign out').map(({ link, command }) => [link, command])).toEqual([[null, 'sign_out']]);
  });

  it.each([
    ['429', ['status=429', 'error_code=rate_limit_exceeded', 'error_code=insufficient_quota']],
    ['rate_limit_exceeded', ['error_code=rate_limit_exceeded']],
    ['rate limit', ['error_code=rate_limit_exceeded']],
    ['budget_exceeded', ['error_code=insufficient_quota']],
    ['too little left', ['error_code=insufficient_quota']],
    ['quota', ['error_code=insufficient_quota']],
    ['limit reached', ['error_code=insufficient_quota']],
    ['engine_overloaded_error', ['error_code=engine_overloaded_error']],
    ['olivia_king', []],
    ['42', []],
  ])('finds requests by the error %s: %j', (text, expected) => {
    const searches = errorDestinations('org_1', text).map(({ link }) =>
      Object.entries((link && 'search' in link ? link.search : null) ?? {}).map((pair) => pair.join('=')),
    );
    expect(searches.flat()).toEqual(expected);
  });

  it('leads from refused requests to those that the gateway has refused first', () => {
    expect(errorDestinations('org_1', 'refused').map(({ id }) => id)).toEqual([
      'error/rate_limit_exceeded',
      'error/insufficient_quota',
      'error/provider_rejected_request',
      'error/content_filter',
    ]);
  });

  it('has only the views of the role, and those of the account without an organization', () => {
    const titles = (role: 'viewer' | 'owner') =>
      viewDestinations({ ...organization, role }, now).map(({ title }) => title);
    expect(titles('owner').filter((title) => !titles('viewer').includes(title))).toEqual([
      'Audit trail',
      'Invite a member',
      'Create, rotate or revoke an API key',
      'Set a budget',
      'Set a rate limit',
      'Set a route',
    ]);
    expect(viewDestinations(null, now).map(({ title }) => title)).toEqual([
      'Profile',
      'Security',
      'Sign-ins',
      'Change the time zone',
      'Light theme',
      'Dark theme',
      'Theme of the system',
      'Sign out',
      'Keyboard shortcuts',
    ]);
  });

  it.each([
    [uuid, 'Request', { logId: uuid }],
    [`x-gateway-request-id: ${uuid.toUpperCase()}`, 'Request', { logId: uuid }],
    ['chatcmpl-9f2KqT31xY', 'Response ID', { response_id: 'chatcmpl-9f2KqT31xY' }],
    ['"id": "resp_68a1b2c3d4"', 'Response ID', { response_id: 'resp_68a1b2c3d4' }],
    ['msg_01AbCdEfGh', 'Response ID', { response_id: 'msg_01AbCdEfGh' }],
    ['req_011CVbXyZ', 'Provider’s request ID', { provider_request_id: 'req_011CVbXyZ' }],
    ['4f1c9a0b2d3e4f5a6b7c', 'Provider’s request ID', { provider_request_id: '4f1c9a0b2d3e4f5a6b7c' }],
    ['4f1c9a0b2d3e4f5a6b7c', 'Response ID', { response_id: '4f1c9a0b2d3e4f5a6b7c' }],
  ])('finds a request by %s', (text, kind, expected) => {
    const [found, ...others] = requestDestinations('org_1', text).filter((each) => each.kind === kind);
    expect(others).toEqual([]);
    expect({ ...(found?.link?.params as object), ...(found?.link?.search as object) }).toEqual({
      organizationId: 'org_1',
      ...expected,
    });
  });

  it.each(['', 'support-chat', 'olivia.king', 'claude-opus-5-5', 'resp', 'a long name with 1 digit'])(
    'takes "%s" for no request',
    (text) => {
      expect(requestDestinations('org_1', text)).toEqual([]);
    },
  );

  it('leads to the page of a key, a prompt and a session, the usage of a user and the prices of a model', () => {
    const key = { id: 'key_1', name: 'production', last_four: 'aB3d' };
    const found = [
      keyDestination('org_1', key),
      ...callerGroups.map((group) => callerDestination('org_1', group, 'x')),
      modelDestination('org_1', 'openai/gpt-6'),
    ];
    expect(
      found.map(({ kind, link }) => [kind, link?.to, link && 'search' in link ? link.search : null]),
    ).toEqual([
      ['Key', '/organizations/$organizationId/keys/$keyId', null],
      ['User', '/organizations/$organizationId/usage', { user_id: 'x' }],
      ['Prompt', '/organizations/$organizationId/prompts', { prompt_id: 'x' }],
      ['Session', '/organizations/$organizationId/sessions', { session_id: 'x' }],
      ['Model', '/organizations/$organizationId/models', { search: 'openai/gpt-6', model: 'openai/gpt-6' }],
    ]);
  });
});

describe('The keys of a shortcut', () => {
  it('are drawn or written without signs that the page’s font lacks, and have words', () => {
    const keys = renderComponent(Keys, { keys: ['Shift', 'Left', 'Right', 'Up', 'Down'] });
    expect(texts(keys, 'kbd')).toEqual(['Shift', 'Left arrow', 'Right arrow', 'Up arrow', 'Down arrow']);
    expect(all(keys, 'svg')).toHaveLength(4);
  });
});

describe('The shortcuts', () => {
  const press = (keys: Partial<KeyboardEvent>, isTyping = false, singleKeys = true) =>
    commandOf(
      { key: '', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...keys },
      isTyping,
      singleKeys,
    );

  it('open the search, also from a text field', () => {
    expect(press({ key: 'k', ctrlKey: true })).toBe('search');
    expect(press({ key: 'K', metaKey: true }, true, false)).toBe('search');
    expect(press({ key: 'k' })).toBeNull();
    expect(press({ key: 'k', ctrlKey: true, shiftKey: true })).toBeNull();
    expect(press({ key: 'k', ctrlKey: true, altKey: true })).toBeNull();
    expect(press({ key: 'k', ctrlKey: true, metaKey: true })).toBeNull();
  });

  it('show the sheet, unless single keys are typed or switched off', () => {
    expect(press({ key: '?', shiftKey: true })).toBe('shortcuts');
    expect(press({ key: '?', shiftKey: true }, true)).toBeNull();
    expect(press({ key: '?', shiftKey: true }, false, false)).toBeNull();
    expect(press({ key: '?', ctrlKey: true })).toBeNull();
  });
});
