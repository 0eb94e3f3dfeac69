import { useMutation } from '@tanstack/react-query';
import { isSessionEnded, post } from '#dashboard/api/client.ts';
import { organizationPath } from '#dashboard/api/organizations.ts';
import { LinkButton } from '#dashboard/components/button.tsx';
import { notifyFailure, notifySuccess } from '#dashboard/components/feedback/toast.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { isAllowed } from '#lambdas/accounts/permissions.ts';

const shares = '50, 80 and 100% of a budget are spent';

/** Says whether owners get e-mails, and sends one to the user to try it. */
export function MailNote({ isMailed }: { isMailed: boolean }) {
  const { id: organizationId, role } = useOrganization();
  const test = useMutation({
    mutationFn: () => post(organizationPath(organizationId, '/budgets/test-mail')),
    onSuccess: () => notifySuccess('A test e-mail is on its way to your address'),
    onError: (error) => !isSessionEnded(error) && notifyFailure(error.message),
  });
  if (!isMailed) {
    return <>Nobody gets an e-mail when {shares}: the operator of this gateway has set no sender.</>;
  }
  return (
    <>
      Owners get an e-mail when {shares}.
      {isAllowed(role, 'manage_budgets') && (
        <>
          {' '}
          <LinkButton onClick={() => test.mutateAsync()}>Send me a test e-mail</LinkButton>
        </>
      )}
    </>
  );
}
