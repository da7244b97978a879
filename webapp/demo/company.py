"""What runs beside the pages of a demo desk: worker, warehouse, agent, colleague."""

from webapp.demo.agent import Agent
from webapp.demo.colleague import Colleague
from webapp.demo.warehouse import Warehouse
from webapp.serve import Service


class Company:
    """A `Service`: the worker's, which the others follow."""

    def __init__(
        self, worker: Service, agent: Agent, colleague: Colleague, warehouse: Warehouse
    ) -> None:
        self._worker = worker
        self._agent = agent
        warehouse.start()
        agent.start()
        colleague.start()

    def stop(self) -> None:
        """No claims and no drafts from now on. Returns at once."""
        self._worker.stop()
        self._agent.stop()

    def join(self, timeout: float) -> bool:
        """Waits for effects; the others end with the process."""
        return self._worker.join(timeout)
