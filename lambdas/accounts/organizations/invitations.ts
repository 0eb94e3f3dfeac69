/** Invitations to an organization, and their acceptance. */

import * as z from 'zod/mini';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { errorFields } from '#lambdas/platform/telemetry/log.ts';
import { emailField } from '../http/fields.ts';
import { readBody } from '../http/request.ts';
import { jsonResponse, noContent } from '../http/response.ts';
import { apiPath } from '../http/router.ts';
import { acceptInvitation, readOfferState, requireInvitation } from '../invitations/accept.ts';
import { type Invitation, operatorName } from '../invitations/invitation.ts';
import { inviteMember } from '../invitations/invite.ts';
import { listAcceptableInvitations } from '../invitations/inviter.ts';
import { type InvitationMail, sendInvitationMail } from '../invitations/mail.ts';
import { revokeInvitation } from '../invitations/revoke.ts';
import { findInvitationById } from '../invitations/store.ts';
import { requirePermission } from '../organization-calls/require-membership.ts';
import { roles } from '../permissions.ts';
import {
  type OrganizationDependencies,
  type OrganizationHandler,
  organizationRoute,
  type PublicHandler,
  type Route,
  type UserHandler,
  userRoute,
} from './call.ts';
import { readCreators, type SummarizeCreator } from './creators.ts';
import { alreadyCreatedError, idCreatedBy, once } from './once.ts';
import { organizationSummary } from './organization.ts';
import type {
  InvitationList,
  Invitation as InvitationSummary,
  NewInvitation,
  OrganizationSummary,
  OrganizationsResponses,
} from './responses.ts';

/** `GET /dashboard/api/organizations/{organization}/invitations` */
const listInvitations: OrganizationHandler<InvitationList> = async ({ organization }, dependencies) => {
  const invitations = await listAcceptableInvitations(
    dependencies.accounts,
    organization.id,
    dependencies.now(),
  );
  const creators = invitations.map(({ createdBy }) => createdBy);
  const summarize = await readCreators(dependencies, organization.id, creators);
  const data = invitations.map((invitation) => invitationSummary(invitation, summarize));
  return jsonResponse({ object: 'list', data });
};

const newInvitation = z.strictObject({
  email: emailField,
  role: z.enum(roles, { error: `role must be one of ${roles.join(', ')}` }),
});

/** `POST /dashboard/api/organizations/{organization}/invitations`. The response alone has the link. */
const createInvitation: OrganizationHandler<NewInvitation> = async (call, dependencies) => {
  const { email, role } = await readBody(call, newInvitation);
  if (role === 'owner') requirePermission(call, 'manage_owners');
  const { organization, audit } = call;
  const { accounts, directoryTable, settings } = dependencies;
  const { invitation, url } = await inviteMember(
    { accounts, directoryTable, audit, dashboardOrigin: settings.dashboardOrigin },
    { organizationId: organization.id, organizationName: organization.name, email, role },
  );
  const summarize = await readCreators(dependencies, organization.id, [invitation.createdBy]);
  return jsonResponse({
    ...invitationSummary(invitation, summarize),
    url,
    mailed: await mailInvitation(dependencies, {
      invitation,
      url,
      organizationName: organization.name,
      invitedBy: call.user,
    }),
  });
};

const createInvitationOnce = once(createInvitation, {
  createdIdOf: (changes) => idCreatedBy('invitation.created', changes),
  async repeat(_call, _dependencies, createdId) {
    throw alreadyCreatedError(
      createdId,
      'The invitation was already created, and its link cannot be shown again: invite the address again for a new link',
    );
  },
});

/** `DELETE /dashboard/api/organizations/{organization}/invitations/{invitation}` */
const deleteInvitation: OrganizationHandler<null> = async (call, { accounts }) => {
  const { organization, parameters, audit } = call;
  const invitation = await findInvitationById(accounts, organization.id, parameters.invitation ?? '');
  if (invitation === null) {
    throw new GatewayError('not_found', { message: 'There is no such invitation in this organization' });
  }
  if (invitation.role === 'owner') requirePermission(call, 'manage_owners');
  await revokeInvitation(accounts, invitation, audit);
  return noContent();
};

const tokenBody = z.strictObject({ token: z.string({ error: 'token must be text' }) });

/** `POST /dashboard/api/invitations/offer`. Whoever has the link may read the offer. */
const showOffer: PublicHandler<OrganizationsResponses['POST /invitations/offer']> = async (
  request,
  dependencies,
) => {
  const { token } = await readBody(request, tokenBody);
  const { invitation, organization } = await requireInvitation(dependencies, token);
  const { email, role, createdBy, validUntil } = invitation;
  return jsonResponse({
    organization_name: organization.name,
    email,
    role,
    invited_by: createdBy.type === 'operator' ? operatorName : createdBy.name,
    expires_at: validUntil,
    state: await readOfferState(dependencies.accounts, invitation, dependencies.now()),
  });
};

/** `POST /dashboard/api/invitations/acceptance` */
const acceptOffer: UserHandler<OrganizationSummary> = async (call, dependencies) => {
  const { token } = await readBody(call, tokenBody);
  const { user, audit } = call;
  const { organization, role } = await acceptInvitation(dependencies, { tokenText: token, user, audit });
  return jsonResponse(organizationSummary(organization, role));
};

/** Resolves to whether the link was mailed. Only the log says why not. */
async function mailInvitation(
  { accounts, sendMail, now, log }: OrganizationDependencies,
  mail: InvitationMail,
): Promise<boolean> {
  const delivery = await sendInvitationMail({ accounts, sendMail, now: now() }, mail);
  const organization_id = mail.invitation.organizationId;
  if (delivery.state === 'failed') {
    log.error('invitation_mail_failed', { organization_id, ...errorFields(delivery.error) });
  } else if (delivery.state === 'daily_limit') {
    log.info('invitation_mail_limited', { organization_id });
  }
  return delivery.state === 'sent';
}

function invitationSummary(invitation: Invitation, summarize: SummarizeCreator): InvitationSummary {
  const { id, email, role, createdAt, createdBy, validUntil } = invitation;
  return {
    id,
    email,
    role,
    created_at: createdAt,
    created_by: summarize(createdBy),
    expires_at: validUntil,
  };
}

export const invitationRoutes: readonly Route[] = [
  organizationRoute('GET', '/invitations', 'manage_members', listInvitations),
  organizationRoute('POST', '/invitations', 'manage_members', createInvitationOnce),
  organizationRoute('DELETE', '/invitations/{invitation}', 'manage_members', deleteInvitation),
  { method: 'POST', path: `${apiPath}/invitations/offer`, kind: 'public call', handle: showOffer },
  userRoute('POST', '/invitations/acceptance', acceptOffer),
];
