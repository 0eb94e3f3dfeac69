/** Calls about the invitations of an organization. */
import type { Invitation, NewInvitation } from '#lambdas/accounts/organizations/responses.ts';
import type { Role } from '#lambdas/accounts/permissions.ts';
import { dashboardOrigin } from '#test/support/accounts/dashboard-fixture.ts';
import type { OrganizationsFixture, TestUser } from '#test/support/accounts/organizations-fixture.ts';

interface LinkedInvitation extends NewInvitation {
  /** The part of the link that proves it. */
  token: string;
}

export function createInvitationCalls(fixture: OrganizationsFixture, organizationId: string) {
  const path = `/organizations/${organizationId}/invitations`;
  return {
    invite: (user: TestUser, email: string, role: Role = 'member', call = fixture.call) =>
      call(user, 'POST', path, { email, role }),

    async invited(user: TestUser, email: string, role: Role = 'member'): Promise<LinkedInvitation> {
      const { status, body, text } = await fixture.call(user, 'POST', path, { email, role });
      if (status !== 200) throw new Error(`The invitation was not created: ${text}`);
      const invitation = body as NewInvitation;
      return { ...invitation, token: invitation.url.slice(`${dashboardOrigin}/invitations/`.length) };
    },

    revoke: (user: TestUser, { id }: { id: string }) => fixture.call(user, 'DELETE', `${path}/${id}`),

    async stateOf({ token }: { token: string }): Promise<unknown> {
      const { body } = await fixture.call(null, 'POST', '/invitations/offer', { token });
      return (body as { state?: unknown }).state;
    },

    accept: (user: TestUser, { token }: { token: string }, call = fixture.call) =>
      call(user, 'POST', '/invitations/acceptance', { token }),

    /** The addresses of the list, in its order. */
    async pending(user: TestUser): Promise<string[]> {
      const { body } = await fixture.call(user, 'GET', path);
      return (body as { data: Invitation[] }).data.map(({ email }) => email);
    },
  };
}

export type InvitationCalls = ReturnType<typeof createInvitationCalls>;
