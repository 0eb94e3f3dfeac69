import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BudgetScope } from '#lambdas/limits/budgets/budget.ts';
import type { Usd } from '#lambdas/platform/money.ts';
import { changedAfter } from '#test/lambdas/access/directory-fixture.ts';
import { type NotificationFixture, startNotificationFixture } from '../notification-fixture.ts';

const scope: BudgetScope = { organizationId: 'org_A', keyId: null };

let fixture: NotificationFixture;
beforeAll(async () => {
  fixture = await startNotificationFixture();
});
afterAll(() => fixture.stop());

type Change = { spend: Usd } | { amount: Usd | null } | { refuse: true };
type Sent = `${50 | 80 | 100} % of ${Usd}`;

/** The monthly amount is 100 at first. */
const scenarios: { behaviour: string; steps: [change: Change, sent: Sent[]][] }[] = [
  {
    behaviour: 'resets the thresholds of a raised amount that spending is below',
    steps: [
      [{ spend: '85' }, ['50 % of 100', '80 % of 100']],
      [{ amount: '160' }, []],
      [{ spend: '42.999999' }, []],
      [{ spend: '0.000001' }, ['80 % of 160']],
      [{ spend: '32' }, ['100 % of 160']],
    ],
  },
  {
    behaviour: 'sends nothing again that spending has reached of the raised amount',
    steps: [
      [{ spend: '85' }, ['50 % of 100', '80 % of 100']],
      [{ amount: '106.25' }, []],
      [{ spend: '21.25' }, ['100 % of 106.25']],
    ],
  },
  {
    behaviour: 'resets thresholds of each amount that is raised',
    steps: [
      [{ spend: '100' }, ['50 % of 100', '80 % of 100', '100 % of 100']],
      [{ amount: '150' }, []],
      [{ spend: '20' }, ['80 % of 150']],
      [{ amount: '240' }, []],
      [{ spend: '80' }, ['80 % of 240']],
      [{ spend: '80' }, ['100 % of 240']],
    ],
  },
  {
    behaviour: 'sends the thresholds that spending has passed by a lower amount',
    steps: [
      [{ spend: '60' }, ['50 % of 100']],
      [{ amount: '70' }, ['80 % of 70']],
      [{ amount: '60' }, ['100 % of 60']],
    ],
  },
  {
    behaviour: 'resets the thresholds that a lower amount had passed',
    steps: [
      [{ spend: '60' }, ['50 % of 100']],
      [{ amount: '60' }, ['80 % of 60', '100 % of 60']],
      [{ amount: '110' }, []],
      [{ spend: '28' }, ['80 % of 110']],
    ],
  },
  {
    behaviour: 'sends thresholds of an earlier amount again when it returns',
    steps: [
      [{ spend: '85' }, ['50 % of 100', '80 % of 100']],
      [{ amount: '200' }, []],
      [{ amount: '100' }, ['50 % of 100', '80 % of 100']],
    ],
  },
  {
    behaviour: 'resets a threshold that spending has fallen below only with a new amount',
    steps: [
      [{ spend: '85' }, ['50 % of 100', '80 % of 100']],
      [{ spend: '-50' }, []],
      [{ amount: '100.0' }, []],
      [{ spend: '50' }, []],
      [{ spend: '-50' }, []],
      [{ amount: '90' }, []],
      [{ spend: '50' }, ['50 % of 90', '80 % of 90']],
    ],
  },
  {
    behaviour: 'resets the last threshold after a refusal until the new amount refuses or is spent',
    steps: [
      [{ spend: '85' }, ['50 % of 100', '80 % of 100']],
      [{ refuse: true }, ['100 % of 100']],
      [{ amount: '105' }, []],
      [{ refuse: true }, ['100 % of 105']],
      [{ amount: '106' }, []],
      [{ spend: '21' }, ['100 % of 106']],
    ],
  },
  {
    behaviour: 'keeps what was sent while a budget is removed',
    steps: [
      [{ spend: '85' }, ['50 % of 100', '80 % of 100']],
      [{ amount: null }, []],
      [{ spend: '5' }, []],
      [{ amount: '120' }, []],
      [{ spend: '6' }, ['80 % of 120']],
    ],
  },
];

describe.each([1, 3])('changeAmounts for a counter of %i items', (shards) => {
  it.each(scenarios)('$behaviour', async ({ steps }) => {
    await fixture.createCounter(scope, shards);
    const sent: unknown[] = [];
    for (const [index, [change]] of steps.entries()) {
      if ('spend' in change) await fixture.spend(scope, change.spend, index % shards);
      if ('amount' in change) await fixture.setAmounts(scope, { day: null, month: change.amount });
      const events = await fixture.notify(scope, { refusing: 'refuse' in change ? ['2026-11'] : [] });
      sent.push([change, events.map(({ threshold, amount_usd }) => `${threshold} % of ${amount_usd}`)]);
    }

    expect(sent).toEqual(steps);
  });
});

describe('changeAmounts', () => {
  const thresholds = async () =>
    (await fixture.notify(scope)).map(({ period, threshold }) => [period, threshold]);

  it('leaves the thresholds of the other period as they are', async () => {
    await fixture.createCounter(scope);
    await fixture.setAmounts(scope, { day: '100', month: '100' });
    await fixture.spend(scope, '60');
    await fixture.notify(scope);
    // A reprice: spending is now below the threshold of both.
    await fixture.spend(scope, '-20');

    await fixture.setAmounts(scope, { day: '100', month: '120' });

    await fixture.spend(scope, '20');
    expect(await thresholds()).toEqual([['month', 50]]);
  });

  it('resets thresholds of the new amount while events of the earlier one are sent', async () => {
    await fixture.createCounter(scope);
    await fixture.spend(scope, '85');
    await fixture.notify(scope, { send: () => fixture.setAmounts(scope, { day: null, month: '200' }) });

    await fixture.spend(scope, '75');

    expect(await thresholds()).toEqual([
      ['month', 50],
      ['month', 80],
    ]);
  });

  it('keeps what is stored as sent for the earlier amount after it was read', async () => {
    await fixture.createCounter(scope);
    await fixture.spend(scope, '85');
    const racing = changedAfter(fixture.budgetCounters, { operation: 'GetCommand' }, () =>
      fixture.notify(scope),
    );

    await fixture.setAmounts(scope, { day: null, month: '160' }, racing);

    expect(await thresholds()).toEqual([]);
    await fixture.spend(scope, '43');
    expect(await thresholds()).toEqual([['month', 80]]);
  });
});
