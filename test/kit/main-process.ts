// The `eaas` command as tests start it.
import './stretch.ts';
import '../../packages/cli/src/main.ts';
