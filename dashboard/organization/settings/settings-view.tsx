import { CopyButton } from '#dashboard/components/copying.tsx';
import { Page } from '#dashboard/components/page.tsx';
import { Row, Section } from '#dashboard/components/section.tsx';
import { Time } from '#dashboard/components/values/time.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { isAllowed } from '#lambdas/accounts/permissions.ts';
import { RoleBadge } from '../role-badge.tsx';
import { describeRoleAlone } from '../roles.ts';
import { DeleteOrganization } from './delete-organization.tsx';
import { LeaveOrganization } from './leave-organization.tsx';
import { OrganizationName } from './name-form.tsx';

export function SettingsView() {
  const { id, name, role, created_at: createdAt, api_base_url: apiBaseUrl } = useOrganization();
  const isManager = isAllowed(role, 'manage_organization');
  return (
    <Page title="Settings" description={`Details of ${name}.`}>
      <Section title="Details">
        <Row label="Name" description="How the organization appears to its members.">
          {isManager ? (
            <OrganizationName key={name} name={name} />
          ) : (
            <span className="wrap-anywhere">{name}</span>
          )}
        </Row>
        <Row label="Your role" description={describeRoleAlone(role)}>
          <RoleBadge role={role} />
        </Row>
        <Row label="Base URL" description="For OpenAI clients, together with an API key.">
          <CopyableCode label="Copy base URL" text={`${apiBaseUrl}/ai`} />
        </Row>
        <Row label="Organization ID" description="Quote it when you ask the operator for help.">
          <CopyableCode label="Copy organization ID" text={id} />
        </Row>
        <Row label="Created">
          <Time value={createdAt} format="date" focusable />
        </Row>
      </Section>
      <Section title="Danger zone" tone="danger">
        <LeaveOrganization />
        {isManager && <DeleteOrganization />}
      </Section>
    </Page>
  );
}

function CopyableCode({ label, text }: { label: string; text: string }) {
  return (
    <span className="flex min-w-0 items-center gap-1">
      <code className="min-w-0 font-mono text-xs break-all text-muted sm:text-[0.8125rem]">{text}</code>
      <CopyButton label={label} text={text} />
    </span>
  );
}
