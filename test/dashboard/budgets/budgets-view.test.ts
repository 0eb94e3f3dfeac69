import { createElement } from 'react';
import { expect, it } from 'vitest';
import { budgetListQuery } from '#dashboard/api/organizations.ts';
import { BudgetsView } from '#dashboard/budgets/budgets-view.tsx';
import type { OrganizationDetails } from '#lambdas/accounts/organizations/responses.ts';
import { textOf } from '#test/dashboard/rendering/markup.ts';
import { acme, renderOnPage } from '#test/dashboard/rendering/page.ts';

const viewWith = async (page: object, organization: OrganizationDetails = acme) =>
  textOf(
    await renderOnPage(createElement(BudgetsView), {
      organization,
      loaded: [
        [
          budgetListQuery('org_1').queryKey,
          {
            pages: [{ object: 'list', data: [], next_cursor: null, ranking: null, ...page }],
            pageParams: [''],
          },
        ],
      ],
    }),
  );

it.each([
  [true, 'Owners get an e-mail when 50, 80 and 100% of a budget are spent. Send me a test e-mail'],
  [false, 'Nobody gets an e-mail when 50, 80 and 100% of a budget are spent: the operator'],
])('The view of budgets says whether mails are sent: %s', async (sender, text) => {
  expect(await viewWith({ mail: { sender } })).toContain(text);
});

it('Only somebody who may set budgets can send a test e-mail', async () => {
  const member = { ...acme, role: 'member' } as const;
  const text = await viewWith({ mail: { sender: true } }, member);
  expect(text).toContain('Owners get an e-mail');
  expect(text).not.toContain('test e-mail');
});
