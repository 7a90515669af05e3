"""The methods that the papers compare with: each learns a map, and k-means runs on what it returns.

A rival learns where the samples should lie, from pairs or from the samples alone, and leaves the
clustering to k-means, so that all are compared on equal terms. ``labels_`` are those of the best of
ten runs; ``transform`` gives the map itself. Each file states its problem, its
steps and what its source leaves open; PM's paper has Eqs. 1 to 4 in its own survey.

===============  ==============  ====================================================  =====  =====
file             class           source                                                pairs  steps
===============  ==============  ====================================================  =====  =====
``trace_ratio``  `TraceRatio`    Xiang, Nie and Zhang 2008; PM Eq. 3                   both   yes
``rca``          `RCA`           Bar-Hillel, Hertz, Shental and Weinshall 2005         must   no
``rca``          `ERCA`          Yeung and Chang 2006 (our reading)                    both   no
``llma``         `LLMA`          Chang and Yeung 2006 (our reading)                    must   yes
``kernel_beta``  `KernelBeta`    Yeung and Chang 2007 (our reading)                    must   no
``baghshah``     `Baghshah`      Baghshah and Shouraki 2009 (our reading)              both   yes
``mmc``          `MMC`           Xing, Ng, Jordan and Russell 2003; PM Eq. 1           both   yes
``itml``         `ITML`          Davis, Kulis, Jain, Sra and Dhillon 2007; PM Eq. 4    both   yes
``yang_jin``     `YangJin`       Yang and Jin 2006; PM Eq. 2                           both   yes
``rpca_om``      `RPCAOM`        Nie, Yuan and Huang 2014                              none   yes
``rpca_om``      `KernelRPCAOM`  the same on kernel PCA                                none   yes
``fme``          `FME`           Nie, Xu, Tsang and Zhang 2010                         none   no
``fme``          `KernelFME`     the same on kernel PCA                                none   no
``sso``          `SSO`           Jiang, Wang and Tu 2011 (our reading)                 none   yes
===============  ==============  ====================================================  =====  =====

``_base`` has what all share (pairs in, a map out, the loop), ``_scatter`` the scatter of pairs and
its shrinkage, ``_kernel`` the kernels. The symbols: S and D are the must-link and cannot-link
pairs, A (d x d) is a metric, W (d x p) a map with A = WW', rows of X are samples.

"Our reading" marks the methods whose full text was not available: ``our_reading`` is True on the
class, and ``title()`` says so in a table. LDA-km (Ding and Li 2007) is `umlbook.cpcm.CPCM` with
``predictor="lda-within"``.

Examples
--------
A rival is fitted as every other estimator is. Its ``n_clusters`` is given by name, since the first
parameter of some rivals has always been the number of columns of their map. An estimator whose
``fit`` asks for pairs has ``set_fit_request``, as scikit-learn arranges it:

>>> import numpy as np
>>> from umlbook import AML, CPCM, KernelKMeans, LatentClassPairs
>>> from umlbook.constraints import sample
>>> from umlbook.scores import clustering_accuracy
>>> y = np.repeat([0, 1, 2], 20)
>>> X = 8 * np.eye(4)[y] + np.random.default_rng(0).normal(size=(60, 4))
>>> pairs = dict(zip(("must_link", "cannot_link"), sample(y, 20, 20, random_state=0)))
>>> for method in (AML, CPCM, KernelKMeans, LatentClassPairs, ITML, RCA, KernelFME):
...     model = method(n_clusters=3, random_state=0)
...     given = pairs if hasattr(model, "set_fit_request") else {}
...     print(method.__name__, clustering_accuracy(y, model.fit(X, **given).labels_))
AML 1.0
CPCM 1.0
KernelKMeans 1.0
LatentClassPairs 1.0
ITML 1.0
RCA 1.0
KernelFME 1.0
"""

from umlbook.rivals._scatter import pair_differences, pair_scatter
from umlbook.rivals.baghshah import Baghshah
from umlbook.rivals.fme import FME, KernelFME
from umlbook.rivals.itml import ITML
from umlbook.rivals.kernel_beta import KernelBeta
from umlbook.rivals.llma import LLMA
from umlbook.rivals.mmc import MMC
from umlbook.rivals.rca import ERCA, RCA
from umlbook.rivals.rpca_om import RPCAOM, KernelRPCAOM
from umlbook.rivals.sso import SSO
from umlbook.rivals.trace_ratio import TraceRatio, trace_ratio, trace_ratio_steps
from umlbook.rivals.yang_jin import YangJin

__all__ = [
    "ERCA",
    "FME",
    "ITML",
    "LLMA",
    "MMC",
    "RCA",
    "RPCAOM",
    "SSO",
    "Baghshah",
    "KernelBeta",
    "KernelFME",
    "KernelRPCAOM",
    "TraceRatio",
    "YangJin",
    "pair_differences",
    "pair_scatter",
    "trace_ratio",
    "trace_ratio_steps",
]
