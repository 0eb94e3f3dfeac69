import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { AllowedModelsSection } from '#dashboard/allowed-models/allowed-models-section.tsx';
import { patch } from '#dashboard/api/client.ts';
import { memberListQuery, organizationPath } from '#dashboard/api/organizations.ts';
import { Button } from '#dashboard/components/button.tsx';
import { CopyButton } from '#dashboard/components/copying.tsx';
import { notifySuccess } from '#dashboard/components/feedback/toast.tsx';
import { NameForm } from '#dashboard/components/forms/name-form.tsx';
import { lazyComponent } from '#dashboard/components/load-code.ts';
import { OnceOpened } from '#dashboard/components/overlay/once-opened.tsx';
import { Page } from '#dashboard/components/page.tsx';
import { Row, Section } from '#dashboard/components/section.tsx';
import { Time } from '#dashboard/components/values/time.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { isAllowed } from '#lambdas/accounts/permissions.ts';
import { applyOrganization } from './apply-organization.ts';
import { DeleteOrganization } from './delete-organization.tsx';
import { RoleBadge } from './role-badge.tsx';
import { describeRoleAlone } from './roles.ts';

export function SettingsView() {
  const { id, name, role, created_at: createdAt, api_base_url: apiBaseUrl, models } = useOrganization();
  const isManager = isAllowed(role, 'manage_organization');
  return (
    <Page title="Organization settings" description={`Details of ${name}.`}>
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
      <AllowedModelsSection
        owner={{ keyId: null, name, models }}
        description="Those that its keys may use. The page of a key can narrow them down."
      />
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

function OrganizationName({ name }: { name: string }) {
  const queryClient = useQueryClient();
  const { id } = useOrganization();
  const save = useMutation({
    mutationFn: (newName: string) => patch(organizationPath(id), { name: newName }),
    onSuccess: (organization) => {
      applyOrganization(queryClient, organization);
      notifySuccess('The name has been saved');
    },
  });
  return (
    <NameForm
      name={name}
      of="organization"
      error={save.error}
      isPending={save.isPending}
      onSave={save.mutateAsync}
    />
  );
}

const LeaveDialog = lazyComponent(() => import('./members/leave-dialog.tsx'), 'LeaveDialog');

function LeaveOrganization() {
  const { id } = useOrganization();
  const members = useQuery(memberListQuery(id));
  const [isOpen, setOpen] = useState(false);
  return (
    <Row label="Leave organization" description="Ends your own access. You choose what happens to your keys.">
      <Button size="small" variant="danger-quiet" pending={members.isPending} onClick={() => setOpen(true)}>
        Leave organization
      </Button>
      <OnceOpened open={isOpen}>
        <LeaveDialog open={isOpen} onOpenChange={setOpen} members={members.data?.data ?? []} />
      </OnceOpened>
    </Row>
  );
}
