//! What roles of warps need: rings that they exchange, registers for each.

use dlc_plan::Schedule;
use dlc_plan::check::{BAD_THREADS, CONFLICT, TOO_MANY_REGISTERS, TOO_MUCH_SMEM, check};
use dlc_plan::clause::Cache;
use dlc_plan::footprint::GROUP;

use super::defaults;
use super::resolved::{Refused, Resolver};

impl Resolver<'_> {
    /// Roles are for rings that they can exchange, and registers that there are.
    pub(super) fn roles(&self) -> Result<(), Refused> {
        let Some((plan, roles)) = self.plan.and_then(|plan| Some((plan, plan.roles.as_ref()?))) else { return Ok(()) };
        let stages = defaults::stages(plan);
        if !(2..=16).contains(&stages) {
            let message = format!("'roles' exchange tiles in rings of 2 to 16, and 'stages' is {stages}");
            return self.refuse_with(&["stages", "roles"], &CONFLICT, message, move |plan| {
                plan.stages = Some(stages.clamp(2, 16))
            });
        }
        // Filters that all tiles have in common are in no ring.
        let is_common =
            |cache: &Cache| cache.buffers == Some(1) && plan.windowed().is_some_and(|pixels| pixels != cache.tensor);
        if let Some(cache) = plan
            .caches
            .iter()
            .find(|cache| cache.buffers.is_some_and(|count| !(2..=16).contains(&count)) && !is_common(cache))
        {
            let (tensor, count) = (cache.tensor.clone(), cache.buffers.unwrap_or_default());
            let message = format!("'roles' exchange tiles in rings of 2 to 16, and {tensor} has {count} buffers");
            let clause = format!("cache {tensor}");
            return self.refuse_with(&[&clause], &CONFLICT, message, move |plan| {
                let own = plan.caches.iter_mut().filter(|cache| cache.tensor == tensor);
                own.for_each(|cache| cache.buffers = Some(count.clamp(2, 16)));
            });
        }
        if !(1..=4).contains(&roles.consumers) {
            let message = format!("there are {} consumers, and roles are for 1 to 4", roles.consumers);
            return self.refuse_with(&["roles"], &BAD_THREADS, message, |plan| {
                if let Some(roles) = &mut plan.roles {
                    roles.consumers = 4;
                }
            });
        }
        self.ring(plan, stages)?;
        let Some((producer, consumer)) = defaults::registers_of(plan, roles) else { return Ok(()) };
        let blocks = plan.blocks_per_sm.unwrap_or(1);
        let threads = GROUP + GROUP * roles.consumers;
        let sum = GROUP * producer + GROUP * roles.consumers * consumer;
        let entry = self.targets.iter().map(|target| target.entry_registers(threads * blocks) * threads).min();
        let Some(all) = entry.filter(|&all| sum > all) else { return Ok(()) };
        let message = format!(
            "a producer of {producer} registers and consumers of {consumer} need {sum} together, and the block starts with {all}"
        );
        self.refuse_with(&["registers", "blocks_per_sm", "roles"], &TOO_MANY_REGISTERS, message, move |plan| {
            match blocks {
                2.. => plan.blocks_per_sm = Some(blocks - 1),
                _ => plan.registers = None,
            }
        })
    }

    /// The ring that a plan with roles leaves open has room; one that it says is checked with the machine.
    fn ring(&self, plan: &Schedule, stages: i64) -> Result<(), Refused> {
        if plan.stages.is_some() {
            return Ok(());
        }
        let all = Schedule { stages: Some(stages), ..plan.clone() };
        let broken = self.targets.iter().flat_map(|target| check(self.ctx, &all, target));
        match broken.into_iter().find(|rule| rule.code.code == TOO_MUCH_SMEM.code) {
            Some(rule) => {
                let message = format!("{}; 'roles' have rings of {stages} tiles where no 'stages' says", rule.message);
                self.refuse_with(&["roles"], &TOO_MUCH_SMEM, message, move |plan| plan.stages = Some(stages))
            }
            None => Ok(()),
        }
    }
}
