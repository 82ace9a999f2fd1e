// The simulation of the ledger, with as many seeds as a night holds: `npm run prove -- simulate 5000`.
import { faultOf } from '../../../packages/service/test/simulation/simulate.ts';
import { asked, type Part, scaled, type Trial } from '../trial.ts';

const ledger: Trial = {
  name: 'ledger',
  about: 'two replicas and a database that break at any step, in virtual time; a number says how many seeds',
  limit: 24 * 60 * 60,
  async run(findings) {
    for (let seed = 0; seed < (asked ?? scaled(1_000)); seed++) {
      const fault = await faultOf(seed);
      findings.try('seed');
      findings.check('the ledger is right with every seed', fault === undefined, fault);
      if (fault !== undefined) console.log(fault);
    }
  },
};

export const simulate: Part = {
  name: 'simulate',
  about: 'the service over a store in memory, with an order of events from a seed',
  trials: [ledger],
};
