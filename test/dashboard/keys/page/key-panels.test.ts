import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { newestLogsQuery } from '#dashboard/api/analytics.ts';
import { budgetListQuery, rateLimitListQuery } from '#dashboard/api/organizations.ts';
import { KeyActions } from '#dashboard/keys/page/actions.tsx';
import { KeyBudgets } from '#dashboard/keys/page/budgets.tsx';
import { KeyCallers } from '#dashboard/keys/page/callers.tsx';
import { KeyRateLimits } from '#dashboard/keys/page/rate-limits.tsx';
import type {
  ApiKeyDetails,
  BudgetSummary,
  OrganizationDetails,
} from '#lambdas/accounts/organizations/responses.ts';
import { all, names, textOf, texts } from '#test/dashboard/rendering/markup.ts';
import { acme, renderOnPage } from '#test/dashboard/rendering/page.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { apiKeyOf, keyIdOf } from '../api-key.ts';

const keyId = keyIdOf(1);

const details = (fields: Partial<ApiKeyDetails>): ApiKeyDetails => ({
  ...apiKeyOf(1),
  replaces: [],
  replaced_by: null,
  has_been_seen: true,
  ...fields,
});

describe('The head of the page of a key', () => {
  const buttonsOf = async (fields: Partial<ApiKeyDetails>) =>
    names(
      await renderOnPage(createElement(KeyActions, { apiKey: details(fields), onAction: () => {} })),
      'button',
    );

  it('has buttons to rotate and to revoke it, as far as the user may', async () => {
    expect(await buttonsOf({})).toEqual(['Rotate', 'Revoke', 'Actions for key 1']);
    expect(await buttonsOf({ state: 'expired' })).toEqual(['Revoke', 'Actions for key 1']);
    expect(await buttonsOf({ manageable: false })).toEqual(['Actions for key 1']);
  });
});

describe('The budgets of a key', () => {
  const budget: BudgetSummary = {
    api_key_id: null,
    api_key_name: null,
    period: 'month',
    period_start: '2026-11-01T00:00:00.000Z',
    period_end: '2026-12-01T00:00:00.000Z',
    amount_usd: '500',
    hard: true,
    allow_unpriced: false,
    state: 'active',
    spent_usd: '100',
    spent_percent: 20,
    reserved_usd: '0',
    refused_requests: 0,
  };
  const ofOther = { ...budget, api_key_id: keyIdOf(2), api_key_name: 'other', amount_usd: '7' };
  const panel = (fields: Partial<ApiKeyDetails>, role: OrganizationDetails['role'] = 'admin') =>
    renderOnPage(createElement(KeyBudgets, { apiKey: details(fields) }), {
      organization: { ...acme, role },
      loaded: [
        [
          budgetListQuery('org_1').queryKey,
          { pages: [{ data: [budget, ofOther], next_cursor: null }], pageParams: [''] },
        ],
      ],
    });

  it('are shown with those of the organization, which limit it too', async () => {
    const shown = textOf(await panel({ budgets: [{ ...budget, api_key_id: keyId, amount_usd: '40' }] }));
    expect(shown).toMatch(/of \$40\.00.*All keys of Acme together, so this one too:.*of \$500\.00/);
    expect(shown).not.toContain('of $7.00');
  });

  it('can be set by whoever may, if there are none and the key works', async () => {
    expect(names(await panel({}), 'button')).toEqual(['Set budget']);
    expect(names(await panel({}, 'member'), 'button')).toEqual([]);
    expect(names(await panel({ state: 'revoked' }), 'button')).toEqual([]);
    expect(names(await panel({ budgets: [{ ...budget, api_key_id: keyId }] }), 'button')).toEqual([]);
  });
});

describe('The rate limits of a key', () => {
  const limits = { requests_per_minute: 600, tokens_per_minute: null, concurrent: 20 };
  const panel = (fields: Partial<ApiKeyDetails>, role: OrganizationDetails['role'] = 'admin') => {
    const all = { ...limits, requests_per_minute: 6000, api_key_id: null, api_key_name: null };
    const ofOther = { ...all, requests_per_minute: 7, api_key_id: keyIdOf(2), api_key_name: 'other' };
    return renderOnPage(createElement(KeyRateLimits, { apiKey: details(fields) }), {
      organization: { ...acme, role },
      loaded: [
        [
          rateLimitListQuery('org_1').queryKey,
          { pages: [{ data: [all, ofOther], next_cursor: null }], pageParams: [''] },
        ],
      ],
    });
  };

  it('are shown with those of the organization, which hold for it too', async () => {
    const shown = await panel({ rate_limits: limits });
    expect(texts(shown, 'dd')).toEqual(['600', 'No limit', '20', '6,000', 'No limit', '20']);
    expect(textOf(shown)).toContain('All keys of Acme together, so this one too:');
    expect(all(shown, 'a').map(({ attributes }) => attributes.href)).toEqual([
      '/organizations/org_1/budgets#rate-limits',
    ]);
  });

  it('can be set and changed by whoever may, while the key works', async () => {
    expect(names(await panel({}), 'button')).toEqual(['Set rate limits']);
    expect(names(await panel({ rate_limits: limits }), 'button')).toEqual(['Change']);
    expect(names(await panel({ rate_limits: limits }, 'member'), 'button')).toEqual([]);
    expect(names(await panel({ state: 'expired' }), 'button')).toEqual([]);
  });

  it('are shared by the keys that a rotation joins', async () => {
    const replaces = [{ id: keyIdOf(2), name: 'key 2', last_four: 'xxx2', state: 'revoked' as const }];
    expect(textOf(await panel({ replaces }))).toContain('rotations share them');
  });
});

describe('The users and prompts of a key', () => {
  it('are those of its newest requests, and lead to them', async () => {
    const bounds = { start: '2026-11-01' };
    const entries = [
      logEntry({ user_id: 'bob', cost_usd: '1' }),
      logEntry({ user_id: 'ada', cost_usd: '0.25' }),
      logEntry({ user_id: 'ada', cost_usd: '0.5' }),
      logEntry(),
    ];
    const parameters = { ...bounds, api_key_id: keyId, limit: 100 };
    const loaded = [[newestLogsQuery('org_1', parameters).queryKey, { data: entries }] as const];
    const shown = await renderOnPage(createElement(KeyCallers, { keyId, bounds, field: 'user_id' }), {
      loaded,
    });
    expect(texts(shown, 'tr').slice(1)).toEqual(['ada2$0.75', 'bob1$1.00']);
    expect(all(shown, 'a')[0]?.attributes.href).toBe(
      `/organizations/org_1/logs?time_zone=UTC&api_key_id=${keyId}&user_id=ada`,
    );
    const prompts = createElement(KeyCallers, { keyId, bounds, field: 'prompt_id' });
    expect(textOf(await renderOnPage(prompts, { loaded }))).toContain('No request names a prompt.');
  });
});
